import pytest

from workers.run import _Consuming


def test_a_worker_that_cannot_decide_says_that_it_takes_nothing():
    answers = iter([True, RuntimeError("the pause cannot be read"), True])

    def wanted():
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    told = []
    state = _Consuming("interactive@a1", wanted)
    state.changed = lambda: told.append(state.on)

    assert state.wanted()
    with pytest.raises(RuntimeError):
        state.wanted()
    assert not state.on
    assert state.wanted()
    assert told == [True, False, True]
