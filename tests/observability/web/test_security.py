"""Who may read the page, and who may press its buttons."""

from typing import Any

import pytest

from actors_rs.errors import ArgumentTypeError, InvalidArgumentError
from actors_rs.observability.web import serve
from tests.observability.web.conftest import ask, endless, press, state_when

PATHS = (
    "/",
    "/static/page.js",
    "/events",
    "/api/runs/1/stage?name=numbers",
    "/api/runs/1/report.html",
)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::", "example.org"])
def test_an_address_that_others_can_reach_needs_a_token(system, host):
    with pytest.raises(ValueError, match="needs a token"), serve(system, host=host):
        pass


@pytest.mark.parametrize("token", ["", "a b", "a;b", 'a"b', "ä"])
def test_a_token_that_no_cookie_can_hold_is_refused(system, token):
    with pytest.raises(InvalidArgumentError, match="token must be"), serve(system, token=token):
        pass


def test_arguments_of_the_wrong_kind_are_refused(system):
    with pytest.raises(InvalidArgumentError, match="port must be"), serve(system, port=70_000):
        pass
    wrong: Any = "system"
    with pytest.raises(ArgumentTypeError, match="needs an ActorSystem"), serve(wrong):
        pass


@pytest.mark.parametrize("path", PATHS)
def test_reading_needs_the_token_too(system, path):
    system.start(endless())
    with serve(system, token="s3cret") as page:
        assert ask(page, path).status == 401
        assert ask(page, path, authorization="Bearer wrong").status == 401
        assert ask(page, path, cookie=f"actors-page-{page.port}=wrong").status == 401
        assert "numbers" not in ask(page, path).text
        if path != "/events":
            assert ask(page, path, authorization="Bearer s3cret").status == 200


def test_the_address_with_the_token_gives_a_cookie_that_scripts_cannot_read(system):
    with serve(system, token="s3cret") as page:
        assert page.url == f"http://127.0.0.1:{page.port}/?token=s3cret"
        assert "s3cret" not in repr(page)
        assert ask(page, "/?token=wrong").status == 401
        answer = ask(page, "/?token=s3cret")
        assert (answer.status, answer.headers["location"]) == (303, "./")
        assert "HttpOnly; SameSite=Strict" in answer.headers["set-cookie"]
        cookie = answer.headers["set-cookie"].partition(";")[0]
        assert ask(page, "/", cookie=cookie).status == 200


def test_a_foreign_name_as_host_is_refused(system):
    with serve(system) as page:
        for host in ("example.com", f"example.com:{page.port}", "127.0.0.1.example.com", ""):
            answer = ask(page, "/", host=host)
            assert answer.status in (400, 421), host
        for host in (f"localhost:{page.port}", "127.0.0.1", f"[::1]:{page.port}"):
            assert ask(page, "/", host=host).status == 200, host


def test_with_an_open_address_a_foreign_name_is_refused_and_further_names_can_be_allowed(system):
    with serve(system, "0.0.0.0", token="t", allowed_hosts=["jobs.example.org"]) as page:
        bearer = {"authorization": "Bearer t"}
        assert ask(page, "/", host="example.com", **bearer).status == 421
        assert ask(page, "/", host="192.0.2.7:80", **bearer).status == 200
        assert ask(page, "/", host="jobs.example.org", **bearer).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://example.com"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"x_actors_page": None},
        {"content_type": "text/plain"},
    ],
)
def test_a_button_pressed_by_another_site_does_nothing(system, headers):
    run = system.start(endless())
    with serve(system) as page:
        assert press(page, "cancel", **headers).status == 403
        assert run.state == "running"


def test_the_page_itself_may_press_a_button(system):
    run = system.start(endless())
    with serve(system) as page:
        own = f"http://127.0.0.1:{page.port}"
        assert press(page, "cancel", origin=own, sec_fetch_site="same-origin").status == 200
        assert run.wait(20)


def test_a_read_only_page_has_no_buttons_and_takes_no_orders(system):
    run = system.start(endless())
    with serve(system, read_only=True) as page:
        assert press(page, "cancel").status == 403
        assert state_when(page, lambda state: True)["read_only"] is True
        assert run.state == "running"


def test_every_answer_forbids_foreign_scripts_and_frames(system):
    with serve(system) as page:
        for answer in (ask(page, "/"), ask(page, "/nothing"), ask(page, "/", host="example.com")):
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "script-src 'self';" in policy
            assert "frame-ancestors 'none'" in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert "access-control-allow-origin" not in answer.headers


def test_no_file_beside_the_page_is_served(system):
    with serve(system) as page:
        for path in ("/static/__init__.py", "/static/..%2fserving.py", "/static/%2e%2e/app.py"):
            assert ask(page, path).status == 404


def test_an_order_that_is_too_long_is_refused(system):
    system.start(endless())
    with serve(system) as page:
        assert press(page, "cancel", {"stage": "x" * 20_000}).status == 413
