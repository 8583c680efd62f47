"""Our packages are imported by plain names, so nothing that is installed may claim one of them."""

from importlib.metadata import packages_distributions

OURS = (
    "memory",
    "store",
    "inference",
    "nodeagent",
    "services",
    "api",
    "workers",
    "ops",
    "benchmarks",
    "memlane",
    "tests",
)


def test_no_installed_distribution_claims_one_of_our_names():
    owners = packages_distributions()
    claimed = {name: set(owners.get(name, ())) - {"memlane", "memlane-server"} for name in OURS}
    assert not any(claimed.values()), f"Uninstall what shadows our packages: {claimed}"
