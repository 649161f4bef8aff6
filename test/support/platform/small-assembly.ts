/** A hand-made cloud assembly of the form that the CDK writes: two stacks, one nested stack, one of each resource. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Place } from '../../../packages/laptop/assembly/place.ts'

/** Where the small assembly is said to run. */
export const place: Place = {
  region: 'us-east-1',
  account: '000000000000',
  publicUrl: 'http://127.0.0.1:8080',
  storesUrl: 'http://127.0.0.1:9000',
}

const att = (logicalId: string, attribute: string) => ({ 'Fn::GetAtt': [logicalId, attribute] })
const allow = (action: string, resource: unknown) => ({
  Statement: { Effect: 'Allow', Action: action, Resource: resource },
})
const bucket = { 'Fn::Sub': 'cdk-assets-${AWS::AccountId}-${AWS::Region}' }
const published = (name: string) => ({
  'Fn::Join': ['', ['https://s3.', { Ref: 'AWS::URLSuffix' }, '/', bucket, '/', name]],
})

const data = {
  Resources: {
    Table: {
      Type: 'AWS::DynamoDB::Table',
      Properties: {
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        GlobalSecondaryIndexes: [
          { IndexName: 'by-state', KeySchema: [], Projection: { ProjectionType: 'ALL' }, ProvisionedThroughput: {} },
        ],
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      },
    },
    Dead: { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } },
    Work: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        FifoQueue: true,
        VisibilityTimeout: 30,
        KmsMasterKeyId: 'alias/aws/sqs',
        RedrivePolicy: { deadLetterTargetArn: att('Dead', 'Arn'), maxReceiveCount: 3 },
      },
    },
    Secret: { Type: 'AWS::SecretsManager::Secret', Properties: { GenerateSecretString: { PasswordLength: 40 } } },
  },
  Outputs: {
    TableName: { Value: { Ref: 'Table' }, Export: { Name: 'Data:TableName' } },
    TableArn: { Value: att('Table', 'Arn'), Export: { Name: 'Data:TableArn' } },
    WorkUrl: { Value: { Ref: 'Work' }, Export: { Name: 'Data:WorkUrl' } },
    WorkArn: { Value: att('Work', 'Arn'), Export: { Name: { 'Fn::Sub': '${AWS::StackName}:WorkArn' } } },
    Secret: { Value: { Ref: 'Secret' }, Export: { Name: 'Data:Secret' } },
  },
}

const imported = (name: string) => ({ 'Fn::ImportValue': `Data:${name}` })

const nested = {
  Parameters: {
    Api: { Type: 'String' },
    Table: { Type: 'String' },
    Endpoint: { Type: 'String' },
    Role: { Type: 'String' },
  },
  Resources: {
    Read: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Code: { S3Bucket: bucket, S3Key: 'code.zip' },
        Handler: 'index.handler',
        Role: { Ref: 'Role' },
        Timeout: 29,
        Environment: {
          Variables: { TABLE: { Ref: 'Table' }, QUEUE_URL: imported('WorkUrl'), PUBLIC_URL: { Ref: 'Endpoint' } },
        },
      },
    },
    Integration: {
      Type: 'AWS::ApiGatewayV2::Integration',
      Properties: { IntegrationType: 'AWS_PROXY', PayloadFormatVersion: '2.0', IntegrationUri: att('Read', 'Arn') },
    },
    Route: {
      Type: 'AWS::ApiGatewayV2::Route',
      Properties: {
        RouteKey: 'GET /things/{id}',
        Target: { 'Fn::Join': ['', ['integrations/', { Ref: 'Integration' }]] },
      },
    },
  },
  Outputs: { ReadArn: { Value: att('Read', 'Arn') } },
}

/** An operation of an imported API, answered by the function of the nested stack. */
const invoked = (description: string) => ({
  responses: { default: { description } },
  'x-amazon-apigateway-integration': {
    type: 'aws_proxy',
    httpMethod: 'POST',
    payloadFormatVersion: '2.0',
    uri: {
      'Fn::Sub': [
        'arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Function}/invocations',
        { Function: att('Group', 'Outputs.ReadArn') },
      ],
    },
    credentials: att('Invoker', 'Arn'),
  },
})

const api = {
  Resources: {
    Api: {
      Type: 'AWS::ApiGatewayV2::Api',
      Properties: {
        Body: {
          openapi: '3.0.1',
          paths: {
            '/imported/{id}': { put: invoked('put'), parameters: [{ name: 'id', in: 'path', required: true }] },
            '/$default': { 'x-amazon-apigateway-any-method': { isDefaultRoute: true, ...invoked('default') } },
          },
          'x-amazon-apigateway-cors': { allowOrigins: ['https://a.example.com'], allowMethods: ['PUT'], maxAge: 60 },
        },
      },
    },
    Role: {
      Type: 'AWS::IAM::Role',
      Properties: {
        Policies: [{ PolicyDocument: allow('dynamodb:GetItem', imported('TableArn')) }],
        ManagedPolicyArns: [{ Ref: 'Shared' }, 'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole'],
      },
    },
    Invoker: {
      Type: 'AWS::IAM::Role',
      Properties: {
        Policies: [
          {
            PolicyDocument: allow('lambda:InvokeFunction', {
              'Fn::Sub': 'arn:aws:lambda:${AWS::Region}:${AWS::AccountId}:function:Api-Group-*',
            }),
          },
        ],
      },
    },
    Policy: {
      Type: 'AWS::IAM::Policy',
      Properties: { PolicyDocument: allow('sqs:SendMessage', imported('WorkArn')), Roles: [{ Ref: 'Role' }] },
    },
    Shared: { Type: 'AWS::IAM::ManagedPolicy', Properties: { PolicyDocument: allow('kms:Decrypt', '*') } },
    Group: {
      Type: 'AWS::CloudFormation::Stack',
      Properties: {
        TemplateURL: published('nested.json'),
        Parameters: {
          Api: { Ref: 'Api' },
          Table: { 'Fn::GetStackOutput': { StackName: 'Data-dev', OutputName: 'TableName' } },
          Endpoint: att('Api', 'ApiEndpoint'),
          Role: att('Role', 'Arn'),
        },
      },
    },
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: imported('WorkArn'),
        FunctionName: att('Group', 'Outputs.ReadArn'),
        BatchSize: 5,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 2 },
      },
    },
    Rule: {
      Type: 'AWS::Events::Rule',
      Properties: {
        ScheduleExpression: 'rate(2 minutes)',
        State: 'ENABLED',
        Targets: [{ Id: 'Target0', Arn: att('Group', 'Outputs.ReadArn') }],
      },
    },
    HourlyRule: {
      Type: 'AWS::Events::Rule',
      Properties: {
        ScheduleExpression: 'rate(1 hour)',
        State: 'ENABLED',
        Targets: [{ Id: 'Target0', Arn: att('Group', 'Outputs.ReadArn') }],
      },
    },
    Preparation: { Type: 'Custom::Preparation', Properties: { ServiceToken: att('Group', 'Outputs.ReadArn') } },
    Task: {
      Type: 'AWS::ECS::TaskDefinition',
      Properties: {
        TaskRoleArn: att('Role', 'Arn'),
        ContainerDefinitions: [
          {
            Name: 'Main',
            Image: { 'Fn::Sub': '${AWS::AccountId}.dkr.ecr.${AWS::Region}.${AWS::URLSuffix}/assets:image' },
            Environment: [{ Name: 'PORT', Value: 80 }],
            Secrets: [{ Name: 'PASSWORD', ValueFrom: imported('Secret') }],
          },
        ],
      },
    },
    Inline: {
      Type: 'AWS::Lambda::Function',
      Properties: { Code: { ZipFile: 'exports.handler = () => {}' }, Handler: 'index.handler', Role: 'r' },
    },
  },
}

/** Writes the assembly's files into a folder. */
export function writeAssembly(directory: string): void {
  const write = (name: string, value: unknown) => writeFileSync(join(directory, name), JSON.stringify(value))
  mkdirSync(join(directory, 'asset.code'))
  mkdirSync(join(directory, 'asset.image'))
  const destinations = (objectKey: string) => ({ current: { bucketName: 'assets', objectKey } })
  write('manifest.json', {
    artifacts: {
      'Api.assets': { type: 'cdk:asset-manifest', properties: { file: 'Api.assets.json' } },
      Api: { type: 'aws:cloudformation:stack', properties: { templateFile: 'Api.template.json' } },
      Data: {
        type: 'aws:cloudformation:stack',
        properties: { templateFile: 'Data.template.json', stackName: 'Data-dev' },
      },
      Tree: { type: 'cdk:tree', properties: { file: 'tree.json' } },
    },
  })
  write('Api.assets.json', {
    files: {
      code: { source: { path: 'asset.code', packaging: 'zip' }, destinations: destinations('code.zip') },
      nested: {
        source: { path: 'nested.template.json', packaging: 'file' },
        destinations: destinations('nested.json'),
      },
    },
    dockerImages: {
      image: {
        source: { directory: 'asset.image' },
        destinations: { current: { repositoryName: 'r', imageTag: 'image' } },
      },
    },
  })
  write('Api.template.json', api)
  write('nested.template.json', nested)
  write('Data.template.json', data)
}
