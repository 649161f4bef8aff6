"""
A control plane of AWS on loopback for the proof of deployments: the services of moto, and the rules of CloudFormation that
moto lacks. Prints its address when it listens.

Rules that are added here: resources are created in the order of their references and removed last; a failed creation or update is rolled back; `RetainExceptOnCreate`, termination protection, `Fn::GetStackOutput`
and exports in use are respected; names are unique; an HTTP API is imported from its document. Types that moto does not know are recorded only.
"""

import json
import logging
import os
import re
import sys

import yaml
from moto.awslambda.models import lambda_backends
from moto.cloudformation import models, parsing, responses
from moto.cloudformation.exceptions import CloudFormationError, ValidationError
from moto.cloudtrail.responses import CloudTrailResponse
from moto.core.responses import ActionResult
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from moto.sqs.models import Queue
from werkzeug.serving import make_server

# The types whose model in moto judges what it is given. Every other type is recorded.
JUDGED = {
    f"AWS::{name}"
    for name in (
        "DynamoDB::Table ECR::Repository ECS::Cluster ECS::TaskDefinition IAM::Role KMS::Key Lambda::Function Logs::LogGroup "
        "S3::Bucket SNS::Topic SQS::Queue SSM::Parameter"
    ).split()
}

# What the service requires to be unique among all resources of a type.
UNIQUE = {
    "AWS::ApiGatewayV2::Stage": ("ApiId", "StageName"),
    "AWS::CloudWatch::Alarm": ("AlarmName",),
    "AWS::CloudWatch::InsightRule": ("RuleName",),
}

# A file whose lines are the starts of logical ids. The creation of such a resource fails.
FAILING = os.environ["FAILING_RESOURCES"]

# Every change of a resource since the start: its stack, logical id, type and what happened.
changes = []
taken = {}
load_yaml = yaml.load


def load(text, Loader):
    """Reads JSON a hundred times faster than the reader of YAML does."""
    try:
        return json.loads(text)
    except ValueError:
        return load_yaml(text, Loader=Loader)


yaml.load = load


class Recorded:
    """A resource of a type without a model: what was asked for, and made-up attributes."""

    def __init__(self, name, kind, properties):
        self.name, self.kind, self.properties = name, kind, properties
        self.take()

    @classmethod
    def has_cfn_attr(cls, _attribute):
        return True

    @classmethod
    def create_from_cloudformation_json(cls, name, resource, _account, _region, **_ids):
        return cls(name, resource["Type"], resource["Properties"])

    def change(self, properties):
        self.release()
        self.properties = properties
        self.take()

    def delete(self, _account, _region):
        self.release()

    def key(self):
        names = UNIQUE.get(self.kind)
        return names and (self.kind, *(str(self.properties.get(name)) for name in names))

    def take(self):
        key = self.key()
        if key and taken.setdefault(key, self) is not self:
            raise ValidationError(message=f"{' '.join(key)} already exists")

    def release(self):
        taken.pop(self.key(), None)

    @property
    def physical_resource_id(self):
        return self.name

    def is_created(self):
        return True

    def get_cfn_attribute(self, attribute):
        if attribute.endswith("Arn"):
            return f"arn:aws:made-up:us-east-1:123456789012:{self.name}"
        return f"{self.name}.{attribute}"


# The gateway: the routes of each API by its name, those of each deployment, and the stages. A route has the name of its function.
imported, deployed, stages = {}, {}, {}


def routes_in(document):
    routes = {}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method == "parameters":
                continue
            uri = operation["x-amazon-apigateway-integration"]["uri"]
            key = "$default" if path == "/$default" else f"{method.upper()} {path}"
            routes[key] = re.search(r":function:([^/]+)/invocations$", uri)[1]
    return routes


def function_names():
    return {function.function_name for function in lambda_backends["123456789012"]["us-east-1"].list_functions()}


class Api(Recorded):
    """Nobody says what an import does to the settings that stages have for routes. Here it drops them."""

    def take(self):
        super().take()
        imported[self.name] = routes_in(self.properties["Body"])
        for stage in stages.values():
            stage.throttled = {}


class Deployment(Recorded):
    """Refuses routes whose function is not there, and to be removed while a stage serves it."""

    def take(self):
        super().take()
        routes = imported[self.properties["ApiId"]]
        if missing := set(routes.values()) - function_names():
            raise ValidationError(message=f"no function {' '.join(missing)}")
        deployed[self.name] = dict(routes)

    def release(self):
        if any(stage.properties["DeploymentId"] == self.name for stage in stages.values()):
            raise ValidationError(message="Active stages pointing to this deployment must be moved or deleted")
        super().release()


class GatewayStage(Recorded):
    def take(self):
        super().take()
        unknown = self.properties["RouteSettings"].keys() - imported[self.properties["ApiId"]].keys()
        if unknown:
            raise ValidationError(message=f"Unable to find Route by key {' '.join(unknown)}")
        self.routes, self.throttled = deployed[self.properties["DeploymentId"]], self.properties["RouteSettings"]
        stages[self.name] = self

    def release(self):
        super().release()
        stages.pop(self.name, None)


def gateway():
    """The routes that stages serve, those with a throttle, and those whose function is gone."""
    names = function_names()
    return [
        {
            "routes": sorted(stage.routes),
            "throttled": sorted(stage.throttled),
            "broken": sorted(key for key, name in stage.routes.items() if name not in names),
        }
        for stage in stages.values()
    ]


OWN = {f"AWS::ApiGatewayV2::{name}": model for name, model in (("Api", Api), ("Deployment", Deployment), ("Stage", GatewayStage))}


def class_of(kind):
    return parsing.get_model_map()[kind] if kind in JUDGED else OWN.get(kind, Recorded)


parsing.resource_class_from_type = class_of
make_queue = Queue.create_from_cloudformation_json


def make_named_queue(name, resource, account, region, **ids):
    """Makes a queue whose made-up name has the ending that the service wants."""
    ending = ".fifo" if resource["Properties"].get("FifoQueue") else ""
    return make_queue(name + ending, resource, account, region, **ids)


Queue.create_from_cloudformation_json = make_named_queue
resolve_usual = parsing.clean_json


def resolve(value, resources):
    """Resolves what moto does, and outputs of other stacks, which must be there by then."""
    if isinstance(value, dict) and "Fn::GetStackOutput" in value:
        wanted = value["Fn::GetStackOutput"]
        return output_of(backend_of(resources).get_stack(wanted["StackName"]), wanted["OutputName"])
    if isinstance(value, dict) and "Fn::ImportValue" in value:
        name = resolve(value["Fn::ImportValue"], resources)
        for stack in backend_of(resources).stacks.values():
            for output in stack.template_dict.get("Outputs", {}).values():
                if name == resolve(output.get("Export", {}).get("Name"), stack.resource_map):
                    return resolve(output["Value"], stack.resource_map)
        raise ValidationError(message=f"No export named {name} found")
    return resolve_usual(value, resources)


parsing.clean_json = resolve


def backend_of(resources):
    return models.cloudformation_backends[resources._account_id][resources._region_name]


def output_of(stack, name):
    output = stack.template_dict.get("Outputs", {}).get(name)
    if output is None or not stack.status.endswith("_COMPLETE"):
        raise ValidationError(message=f"Stack {stack.name} ({stack.status}) has no output {name}")
    return resolve(output["Value"], stack.resource_map)


def references(value):
    """The logical ids that a resource names."""
    if isinstance(value, list):
        return [name for part in value for name in references(part)]
    if not isinstance(value, dict):
        return []
    found = [value["Ref"]] if isinstance(value.get("Ref"), str) else []
    for name in ("Fn::GetAtt", "Fn::Sub"):
        text = value.get(name)
        first = text[0] if isinstance(text, list) else text
        if isinstance(first, str):
            found += re.findall(r"\$\{([\w:]+)", first) if name == "Fn::Sub" else [first.split(".")[0]]
    return found + [name for part in value.values() for name in references(part)]


def in_order(resources):
    """The logical ids, each after those that it needs."""
    done = {}

    def visit(name):
        if name not in resources or name in done:
            return
        done[name] = None
        wanted = resources[name].get("DependsOn", [])
        for other in [wanted] if isinstance(wanted, str) else wanted:
            visit(other)
        for other in references(resources[name]):
            visit(other)
        order.append(name)

    order = []
    for name in resources:
        visit(name)
    return order


def change_one(stack, name, definition, created):
    """Creates or changes one resource. Counts each change, so that a test can ask what a deployment did."""
    made = stack.resource_map
    condition = definition.get("Condition")
    if condition and not made.lazy_condition_map[condition]:
        return
    wanted = resolve(definition.get("Properties", {}), made)
    kind, before = definition["Type"], made._parsed_resources.get(name)
    if before is None:
        if name.startswith(tuple(open(FAILING).read().split())):
            raise ValidationError(message=f"{name} could not be created")
        made[name]
        created.append(name)
    elif wanted != stack.properties.get(name):
        if isinstance(before, Recorded):
            before.change(wanted)
        elif hasattr(type(before), "update_from_cloudformation_json") and kind == "AWS::Lambda::Function":
            parsing.parse_and_update_resource(name, definition, made, stack.account_id, stack.region_name)
    if before is None or wanted != stack.properties.get(name):
        note(stack, name, kind, "CREATE_COMPLETE" if before is None else "UPDATE_COMPLETE")
    stack.properties[name] = wanted


def note(stack, name, kind, status, reason=None):
    changes.append({"stack": stack.name, "id": name, "type": kind, "status": status})
    physical = getattr(stack.resource_map._parsed_resources.get(name), "physical_resource_id", name)
    stack.events.append(models.Event(stack.stack_id, stack.name, name, physical, kind, status, reason, None))


def remove_one(stack, name, definition, kept=("Retain", "RetainExceptOnCreate")):
    resource = stack.resource_map._parsed_resources.pop(name, None)
    stack.properties.pop(name, None)
    if resource is None or definition.get("DeletionPolicy") in kept:
        return
    stack.resource_map._delete_resource(resource, definition)
    note(stack, name, definition["Type"], "DELETE_COMPLETE")


def adopt(stack, template, parameters):
    made = stack.resource_map
    stack.template_dict, stack.parameters = template, parameters
    made._template, made._resource_json_map = template, template["Resources"]
    made.input_parameters, made.resolved_parameters = parameters, {}
    made.load_mapping()
    made.load_parameters()
    made.load_conditions()
    stack.output_map = stack._create_output_map()


def apply(stack, template, parameters, created):
    before = dict(stack.template_dict.get("Resources", {}))
    refuse_lost_exports(stack, template)
    adopt(stack, template, parameters)
    resources = template["Resources"]
    for name in in_order(resources):
        try:
            change_one(stack, name, resources[name], created)
        except Exception as error:
            note(stack, name, resources[name]["Type"], "CREATE_FAILED", reason := f"{name}: {error!r}")
            raise ValidationError(message=reason) from error
    for name in reversed(in_order(before)):
        if name not in resources:
            remove_one(stack, name, before[name])


def refuse_lost_exports(stack, template):
    """Refuses to remove an export that another stack imports."""
    names = lambda outputs: {json.dumps(output["Export"]["Name"]) for output in outputs.values() if "Export" in output}
    lost = names(stack.template_dict.get("Outputs", {})) - names(template.get("Outputs", {}))
    for other in backend_of(stack.resource_map).stacks.values():
        text = json.dumps(other.template_dict)
        for name in lost:
            if f'{{"Fn::ImportValue": {name}}}' in text:
                raise ValidationError(message=f"Export {name} cannot be deleted as it is in use by {other.name}")


def run(stack, body, parameters, kind):
    """Brings a stack to a template, or back where it was."""
    template = load(body, yaml.Loader)
    earlier, created = (stack.template, stack.template_dict, stack.parameters), []
    stack.properties = getattr(stack, "properties", {})
    stack._add_stack_event(f"{kind}_IN_PROGRESS", resource_status_reason="User Initiated")
    stack.status, stack.template = f"{kind}_IN_PROGRESS", body
    try:
        apply(stack, template, parameters, created)
        stack.status = f"{kind}_COMPLETE"
    except ValidationError as error:
        print(f"{stack.name}: {error.message}", file=sys.stderr, flush=True)
        undo(stack, earlier, created)
        stack.status = "ROLLBACK_COMPLETE" if kind == "CREATE" else "UPDATE_ROLLBACK_COMPLETE"
    stack._add_stack_event(stack.status)


def undo(stack, earlier, created):
    definitions = stack.template_dict.get("Resources", {})
    for name in reversed(created):
        remove_one(stack, name, definitions[name], kept=("Retain",))
    stack.template, template, parameters = earlier
    if template:
        apply(stack, template, parameters, [])
    else:
        adopt(stack, {"Resources": {}}, {})


def remove_all(stack):
    resources = stack.template_dict.get("Resources", {})
    for name in reversed(in_order(resources)):
        remove_one(stack, name, resources[name])


def given_parameters(stack):
    """What a change set takes over from the last one: names of values, where moto has the values."""
    declared = stack.template_dict.get("Parameters", {})
    return {name: parameter.get("Default") for name, parameter in declared.items()} | stack.parameters


class ChangeSetNotFound(CloudFormationError):
    code = "ChangeSetNotFound"


def describe_change_set(self, change_set_name):
    for key, change_set in self.change_sets.items():
        if change_set_name in (key, change_set.change_set_name):
            return change_set
    raise ChangeSetNotFound(f"ChangeSet [{change_set_name}] does not exist")


def execute_change_set(self, change_set_name, stack_name=None):
    change_set = self.describe_change_set(change_set_name)
    run(self.stacks[change_set.stack_id], change_set.template, change_set.parameters, change_set.change_set_type)
    self.change_sets.pop(change_set.change_set_id)


def delete_change_set(self, change_set_name):
    """One that is gone, because it was executed, is no error."""
    for key, change_set in list(self.change_sets.items()):
        if change_set_name in (key, change_set.change_set_name):
            self.change_sets.pop(key)


def delete_stack(self, name_or_id):
    stack = next((each for each in self.stacks.values() if name_or_id in (each.name, each.stack_id)), None)
    if stack is None:
        return
    if stack.enable_termination_protection:
        raise ValidationError(message=f"Stack [{stack.name}] cannot be deleted while TerminationProtection is enabled")
    remove_all(stack)
    stack.status = "DELETE_COMPLETE"
    stack._add_stack_event("DELETE_COMPLETE")
    self.deleted_stacks[stack.stack_id] = self.stacks.pop(stack.stack_id)


def update_termination_protection(self):
    stack = self.cloudformation_backend.get_stack(self._get_param("StackName"))
    stack.enable_termination_protection = self._get_bool_param("EnableTerminationProtection")
    return ActionResult({"StackId": stack.stack_id})


models.Stack.stack_parameters = property(given_parameters)
models.CloudFormationBackend.describe_change_set = describe_change_set
models.CloudFormationBackend.execute_change_set = execute_change_set
models.CloudFormationBackend.delete_change_set = delete_change_set
models.CloudFormationBackend.delete_stack = delete_stack
responses.CloudFormationResponse.update_termination_protection = update_termination_protection
# The tool looks for the reason of a failure there.
CloudTrailResponse.lookup_events = lambda self: json.dumps({"Events": []})

services = DomainDispatcherApplication(create_backend_app)


def answer(environ, start_response):
    """Answers `/changes` with all changes, `/gateway` with what stages serve, and everything else as the services do."""
    own = {"/changes": lambda: changes, "/gateway": gateway}.get(environ["PATH_INFO"])
    if own is None:
        return services(environ, start_response)
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(own()).encode()]


if __name__ == "__main__":
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = make_server("127.0.0.1", 0, answer, threaded=True)
    print(f"http://127.0.0.1:{server.port}", flush=True)
    server.serve_forever()
