import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib'
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch'
import { Peer, Port, SecurityGroup } from 'aws-cdk-lib/aws-ec2'
import {
  AlarmBehavior,
  Cluster,
  ContainerInsights,
  CpuArchitecture,
  FargateService,
  FargateTaskDefinition,
  LogDrivers,
  OperatingSystemFamily,
  PropagatedTagSource,
  Secret,
} from 'aws-cdk-lib/aws-ecs'
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'
import { connector } from '../../contracts/connector.ts'
import { environment as names } from '../../contracts/environment.ts'
import * as declared from '../../contracts/settings/connector.ts'
import { queues } from '../../contracts/resources.ts'
import { connectorFolder } from '../handlers.ts'
import type { Settings } from '../settings.ts'
import { connectorImage, editionOf } from './connector-image.ts'
import { connectorMetric } from './connector-metric.ts'
import { acknowledgeInsides, environmentOf, statementsOf } from './grants.ts'
import type { FunctionDefaults } from './platform-function.ts'
import type { PrivateNetwork } from './private-network.ts'
import { RunbookAlarm } from './runbook-alarm.ts'
import { logGroupName, staged, stageOf } from './stage.ts'

const healthPort = 8080

/** The mount point of the task's own storage, for events while their queue cannot be reached. */
const home = '/home/node'

/** Part of the 20 GiB that every task has, including its image. */
const spoolBytes = 8 * 1024 ** 3

/** The seconds from the signal to stop until a connector is killed: the most that Fargate allows. */
const stopSeconds = 120

/** The memory of a task for each unit of its processor, which Fargate offers for every processor. */
const memoryMbOfUnit = 2

/** The inputs of the service. */
export interface ConnectorServiceProps extends Omit<FunctionDefaults, 'isTraced'> {
  readonly settings: Settings
  readonly network: PrivateNetwork
}

/**
 * The connector tasks. Each reads the events of all engines, relays them, and can carry out any command; one is enough.
 */
export class ConnectorService extends Construct {
  readonly cluster: Cluster
  readonly service: FargateService

  constructor(scope: Construct, id: string, props: ConnectorServiceProps) {
    super(scope, id)
    const { settings, network } = props
    this.cluster = new Cluster(this, 'Cluster', {
      vpc: network.vpc,
      containerInsightsV2: ContainerInsights.DISABLED,
    })
    Validations.of(this.cluster).acknowledge({
      id: 'AwsSolutions-ECS4',
      reason:
        'Its 29 metrics would cost nine dollars a month. The connectors write metrics of their own, an alarm counts the ' +
        'lines of them, and the service has processor and memory without it.',
    })
    const guard = this.guard(props)
    this.service = this.addService(props, guard)
    const alarm = this.watchDeployments().alarmName
    this.service.enableDeploymentAlarms([alarm], { behavior: AlarmBehavior.ROLLBACK_ON_ALARM })
    network.admit(guard)
    for (const port of new Set(settings.engines.map((engine) => engine.port))) {
      guard.connections.allowTo(Peer.ipv4(settings.engineNetwork), Port.tcp(port), 'event socket of the engine')
    }
  }

  private addService(props: ConnectorServiceProps, guard: SecurityGroup): FargateService {
    const { settings, network } = props
    const task = this.defineTask(props)
    const service = new FargateService(this, 'Service', {
      cluster: this.cluster,
      taskDefinition: task,
      // Without it, no task has a tag, and its cost belongs to nobody.
      propagateTags: PropagatedTagSource.SERVICE,
      desiredCount: settings.connectorTasks,
      minHealthyPercent: 100,
      maxHealthyPercent: 200,
      circuitBreaker: { enable: true, rollback: true },
      vpcSubnets: network.subnets,
      securityGroups: [guard],
      assignPublicIp: network.hasPublicAddresses,
      enableExecuteCommand: settings.connectorExec,
    })
    // Its first tasks need these; without them they would fail, and the deployment with them.
    service.node.addDependency(network, task.obtainExecutionRole())
    return service
  }

  /**
   * The alarm that takes a deployment back. At a first deployment no connector has reached an engine, and in an outage
   * of an engine none hears it, so neither is taken back. Engines are known by host and port: a changed `engineHost` is
   * a first deployment in this sense, and the alarm on engines that cannot be reached finds it.
   */
  private watchDeployments(): Alarm {
    return new RunbookAlarm(this, 'DeploymentLosesEngine', {
      article: 'A new connector does not reach an engine',
      severity: 'ticket',
      impact:
        'A deployment of the connector is taken back: its tasks do not reach an engine that the former ones reach.',
      metric: connectorMetric('EnginesOutOfReach', 'Maximum'),
      periods: 2,
    }).alarm
  }

  /**
   * Nothing may come in. Outgoing traffic goes to the private endpoints; the network has no other route, so every
   * address may be allowed. With public addresses it goes to the services themselves, whose addresses change.
   */
  private guard({ network }: ConnectorServiceProps): SecurityGroup {
    const group = new SecurityGroup(this, 'SecurityGroup', {
      vpc: network.vpc,
      description: 'Callplane connector',
      allowAllOutbound: false,
    })
    group.addEgressRule(Peer.anyIpv4(), Port.tcp(443), 'endpoints of the platform')
    return group
  }

  private defineTask(props: ConnectorServiceProps): FargateTaskDefinition {
    const { connectorCpu } = props.settings
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: logGroupName(this, 'connector'),
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    const task = new FargateTaskDefinition(this, 'Task', {
      family: staged(this, 'CallplaneConnector', '-'),
      cpu: connectorCpu,
      memoryLimitMiB: connectorCpu * memoryMbOfUnit,
      runtimePlatform: {
        cpuArchitecture: CpuArchitecture.ARM64,
        operatingSystemFamily: OperatingSystemFamily.LINUX,
      },
      taskRole: this.makeRole(props),
      volumes: [{ name: 'spool' }],
    })
    const container = task.addContainer('Connector', {
      image: connectorImage(this, connectorFolder(props.build), props.settings),
      environment: this.environmentOf(props),
      secrets: { [declared.enginePassword.variable]: Secret.fromSecretsManager(props.resources.secrets.socket) },
      logging: LogDrivers.awsLogs({ streamPrefix: 'connector', logGroup }),
      // The agent of a shell writes into the file system.
      readonlyRootFilesystem: !props.settings.connectorExec,
      // A process that ended is restarted with its storage, and sends the events that wait there; a new task would not
      // have them.
      enableRestartPolicy: true,
      restartAttemptPeriod: Duration.seconds(60),
      // Orders under way end and waiting events are queued before the process exits, which plans its stop by the same
      // number.
      stopTimeout: Duration.seconds(stopSeconds),
      healthCheck: {
        command: ['CMD', 'node', '-e', probe],
        interval: Duration.seconds(15),
        timeout: Duration.seconds(5),
        retries: 3,
        startPeriod: Duration.seconds(30),
      },
    })
    container.addMountPoints({ sourceVolume: 'spool', containerPath: home, readOnly: false })
    acknowledgeTask(task)
    return task
  }

  private environmentOf({ resources, settings, environment, build }: ConnectorServiceProps): Record<string, string> {
    return {
      ...environment,
      [names.buildVersion]: editionOf(settings.connectorImage, connectorFolder(build)),
      ...environmentOf(connector.needs, resources),
      [queues[connector.consumes].variable]: resources.queues[connector.consumes].queue.queueUrl,
      [declared.engineUrl.variable]: settings.engines.map(({ host, port }) => `esl://${host}:${port}`).join(','),
      [declared.stage.variable]: stageOf(this),
      [names.healthPort]: String(healthPort),
      [names.stopSeconds]: String(stopSeconds),
      [names.spoolDir]: `${home}/spool`,
      [names.spoolBytes]: String(spoolBytes),
    }
  }

  private makeRole({ resources, settings }: ConnectorServiceProps): Role {
    const takeCommands = new PolicyStatement({
      actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage'],
      resources: [resources.queues[connector.consumes].queue.queueArn],
    })
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com'),
      inlinePolicies: {
        needs: new PolicyDocument({ statements: [...statementsOf(connector.needs, resources), takeCommands] }),
      },
    })
    acknowledgeInsides(role, connector.needs)
    if (settings.connectorExec) {
      const reason = 'The actions of ssmmessages, by which a shell is opened, know no narrower resource.'
      Validations.of(role).acknowledge({ id: 'AwsSolutions-IAM5[Resource::*]', reason })
    }
    return role
  }
}

/**
 * Asks whether the process answers, not whether its engines do. Replacing a task because its engine is down would lose
 * the events that wait in it, and the new task could not reach the engine either.
 */
const probe = `fetch('http://127.0.0.1:${healthPort}/health').then(()=>process.exit(0),()=>process.exit(1))`

function acknowledgeTask(task: FargateTaskDefinition): void {
  Validations.of(task).acknowledge(
    {
      id: 'AwsSolutions-ECS2',
      reason: 'The variables name tables, queues and the address of the engine; its password is injected as a secret.',
    },
    {
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'ecr:GetAuthorizationToken, which the execution role pulls the image with, knows no narrower resource.',
    },
  )
}
