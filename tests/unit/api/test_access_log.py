"""A line for each request, but none at the usual level for the question that is asked every few seconds."""

import logging


def test_who_asks_for_health_fills_no_log(client, caplog):
    with caplog.at_level(logging.INFO, logger="memlane.api"):
        client.get("/v1/health")
        client.get("/v1/lanes")

    said = [record.getMessage() for record in caplog.records if " status=" in record.getMessage()]
    assert [line.split()[1] for line in said] == ["/v1/lanes"]
