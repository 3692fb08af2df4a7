"""A deploy that fails ends the run at once, as a typed report: the hook after the tool sees to it, before the model hears of it.

Run it: ``python examples/deploy_guard.py``
"""

from pydantic import BaseModel

from settled import Agent, FailRun, Failure, Hooks, RunContext, Success, ToolCall, ToolFailed
from settled.testing import ScriptedProvider


class Deployed(BaseModel):
    """What is live now."""

    version: str


class RolledBack(BaseModel):
    """The deploy did not work, and the old version is live again."""

    version: str
    why: str
    blocked_by: list[str]


class Cluster:
    """What the tools work on."""

    def __init__(self, *, healthy: bool) -> None:
        self.healthy = healthy
        self.live = "1.0.0"
        self.log: list[str] = []


def deploy(ctx: RunContext[Cluster], version: str) -> str:
    """Put a version live."""
    ctx.context.log.append(f"deploy {version}")
    if not ctx.context.healthy:
        raise ToolFailed("2 of 3 health checks failed")
    ctx.context.live = version
    return f"{version} is live"


def guard(ctx: RunContext[Cluster], call: ToolCall, result: object) -> FailRun[RolledBack] | None:
    """A failed deploy is rolled back and ends the run. Any other result stays as it is."""
    if call.name != "deploy" or not isinstance(result, ToolFailed):
        return None
    ctx.context.log.append("roll back")
    return FailRun(RolledBack(version=ctx.context.live, why=str(result), blocked_by=["health checks"]))


agent = Agent(Deployed, tools=[deploy], hooks=Hooks(after_tool=guard), failure_type=RolledBack)


def main() -> None:
    """Once on a cluster that is well, once on one that is not."""
    for healthy in (True, False):
        cluster = Cluster(healthy=healthy)
        model = ScriptedProvider(ToolCall(id="c1", name="deploy", arguments='{"version": "2.0.0"}'), Deployed(version="2.0.0"))
        match agent.settle("Deploy 2.0.0.", context=cluster, model=model):
            case Success(output=deployed):
                print(f"live: {deployed.version}")
                assert healthy
            case Failure(report=report):
                assert isinstance(report.detail, RolledBack)
                print(f"{report.code}: {report.detail.why}; live: {report.detail.version}; blocked by {report.blocked_by}")
                assert cluster.log == ["deploy 2.0.0", "roll back"]
                assert len(model.requests) == 1, "the model was not asked again"


if __name__ == "__main__":
    main()
