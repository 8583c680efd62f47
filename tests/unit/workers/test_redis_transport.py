from types import SimpleNamespace

from workers.redis_transport import QoS


def test_the_tag_of_a_message_that_was_never_noted_is_not_kept():
    qos = QoS(SimpleNamespace(do_restore=False))

    qos.ack("tag")

    assert not qos._dirty
