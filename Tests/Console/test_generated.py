"""The code of `headwater generate`: compiled as strictly as its language can, and used against a running server."""

import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import textwrap
import urllib.request
from decimal import Decimal

import pytest
from playwright.sync_api import expect

from conftest import PROGRAM
from server import Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 300
PRICE = "12345678901234567.89"


def run(*arguments, folder=None, needs=None):
    program = shutil.which(arguments[0])
    assert program, f"{arguments[0]} is missing: {needs}"
    done = subprocess.run([program, *arguments[1:]], cwd=folder, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
    return done.stdout


def generate(language, source):
    return run(os.path.abspath(PROGRAM), "generate", language, str(source))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("market")
    shutil.copy(ROOT / "Tests/Console/market.json", folder / "market.json")
    return folder


@pytest.fixture(scope="module")
def server(folder):
    """A server whose document a test can put, because it is no file of a directory."""
    server = Server(PROGRAM, arguments=["--examples", "none", "--site", str(folder)])
    deploy(server, (folder / "market.json").read_text())
    yield server
    server.kill()


def deploy(server, document):
    request = urllib.request.Request(
        f"{server.url}/v1/features/market", data=document.encode(), method="PUT", headers={"Content-Type": "application/jsonc"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert answer.status in (200, 201)


@pytest.fixture
def later(server, folder):
    """Deploys a document whose action `offer` needs one member more, and afterwards the first one again."""
    document = (folder / "market.json").read_text()

    def deploy_later():
        changed = document.replace('"required": ["id", "title", "price"]', '"required": ["id", "title", "price", "tags"]', 1)
        changed = changed.replace('"tags": {"type": "array", "items": {"type": "string"}, "default": []},\n        },\n        "required": ["id"', '"tags": {"type": "array", "items": {"type": "string"}},\n        },\n        "required": ["id"')
        assert changed != document
        deploy(server, changed)

    yield deploy_later
    deploy(server, document)


@pytest.mark.parametrize("language", ["typescript", "python", "swift"])
def test_files_and_the_server_give_the_same_definition(server, folder, language):
    (known,) = [one["hash"] for one in server.get("/v1")["features"] if one["name"] == "market"]
    for source in (server.url, folder / "market.json"):
        assert known in generate(language, source)


def test_python_is_checked_by_mypy_and_used(server, folder, later, space):
    (folder / "market_types.py").write_text(generate("python", server.url))
    (folder / "uses.py").write_text(textwrap.dedent("""\
        from decimal import Decimal

        from market_types import Client, MarketOfferInput, Offer, OfferEntry, OfferState, Refused


        def begin(url: str, space: str) -> Client:
            market = Client(url, space)
            offer: MarketOfferInput = {"id": "a", "title": "Lamp", "price": Decimal("12345678901234567.89")}
            market.act("market/offer", offer, key="once")
            market.act("market/offer", offer, key="once")
            return market


        def states(market: Client) -> list[OfferState]:
            entries: list[OfferEntry] = market.view("market.offers")
            offers: list[Offer] = [entry["row"] for entry in entries]
            sold: OfferState = "sold"
            return [offer["state"] for offer in offers if offer["state"] == sold]


        def read(market: Client) -> tuple[str, Decimal | int, int, bool]:
            rows = market.view("market.offers")
            row = market.view("market.offer", id="a")
            none = market.view("market.offer", id="z")
            return rows[0]["row"]["title"], row["price"] if row is not None else 0, market.view("market.count"), none is None


        def buy(market: Client) -> Decimal | int:
            return market.act("market/buy", {"id": "a", "how": {"kind": "cash", "coins": 3}}).result


        def refused(market: Client) -> tuple[int, bool]:
            try:
                market.act("market/offer", {"id": "b", "title": "Chair", "price": 1})
            except Refused as error:
                return error.status, error.is_too_old
            return 200, False
        """))
    (folder / "wrong.py").write_text("from market_types import Client, OfferState\nmarket = Client('')\nmarket.act('market/offer', {'id': 7})\nmarket.view('market.none')\nstate: OfferState = 'stolen'\n")
    run(sys.executable, "-m", "mypy", "--strict", "market_types.py", "uses.py", folder=folder)
    wrong = subprocess.run([sys.executable, "-m", "mypy", "--strict", "wrong.py"], cwd=folder, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    assert wrong.returncode == 1 and all(f"wrong.py:{line}: error" in wrong.stdout for line in (3, 4, 5)), wrong.stdout
    sys.path.insert(0, str(folder))
    try:
        specification = importlib.util.spec_from_file_location("uses", folder / "uses.py")
        uses = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(uses)
    finally:
        sys.path.remove(str(folder))
    market = uses.begin(server.url, space)
    assert uses.read(market) == ("Lamp", Decimal(PRICE), 1, True)
    assert uses.buy(market) == Decimal(PRICE)
    assert uses.states(market) == ["sold"]
    assert market.view("market.payments")[0]["row"] == {"kind": "cash", "coins": 3}
    assert uses.refused(market) == (200, False)
    later()
    assert uses.refused(market) == (409, True)
    # Views go on, and so do actions whose input is valid still.
    assert uses.buy(market) == Decimal(PRICE)


def test_typescript_is_checked_strictly_and_used_in_a_browser(server, folder, browser, later, space):
    (folder / "types.ts").write_text(generate("typescript", server.url))
    with urllib.request.urlopen(f"{server.url}/client.d.ts", timeout=60) as answer:
        (folder / "client.d.ts").write_bytes(answer.read())
    (folder / "uses.ts").write_text(textwrap.dedent(f"""\
        import * as client from './client.js';
        import {{ isTooOld, typed, type Decimal, type Offer, type OfferState }} from './types.js';

        const {{ act, view }} = typed(client);
        const space = {json.dumps(space)};
        let shown: Offer | null | undefined;
        let all: readonly Decimal[] = [];
        const words: Record<OfferState, string> = {{ open: 'for sale', sold: 'gone' }};
        view('market.offer', {{ space, parameters: {{ id: 'a' }} }}).subscribe((row) => {{ shown = row; document.title = row ? `${{row.title}} ${{words[row.state]}}` : ''; }});
        view('market.offers', {{ space }}).subscribe((rows) => {{ all = rows?.map(({{ row }}) => row.price) ?? []; }});
        view('market.payments', {{ space }}).subscribe((rows) => {{
          for (const {{ row }} of rows ?? []) document.body.textContent = row.kind === 'card' ? row.number : `${{row.coins}} coins`;
        }});

        export const begin = async (): Promise<Decimal> => {{
          await act('market/offer', {{ id: 'a', title: 'Lamp', price: '{PRICE}' }}, {{ space }});
          return (await act('market/buy', {{ id: 'a', how: {{ kind: 'cash', coins: 3 }} }}, {{ space }})).result;
        }};
        export const refused = (): Promise<boolean> => act('market/offer', {{ id: 'b', title: 'Chair', price: '1' }}, {{ space }}).then(() => false, isTooOld);
        export const price = (): Decimal | undefined => shown?.price;
        export const prices = (): readonly Decimal[] => all;
        export const raise = async (): Promise<void> => {{ await act('market/offer', {{ id: 'a', title: 'Lamp n12', price: '0.1000000000000000055' }}, {{ space }}).shown; }};
        Object.assign(globalThis, {{ begin, refused, price, prices, raise }});
        """))
    (folder / "wrong.ts").write_text(textwrap.dedent("""\
        import * as client from './client.js';
        import { typed } from './types.js';

        const { act, view } = typed(client);
        act('market/offer', { id: 7 });
        view('market.none');
        view('market.offer');
        act('market/offer', { id: 'a', title: 'Lamp', price: 2.5 });
        view('market.offers').subscribe((rows) => rows?.some(({ row }) => row.state === 'stolen'));
        """))
    strict = ["--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes", "--target", "es2022", "--module", "es2022", "--moduleResolution", "node"]
    run("tsc", *strict, "--outDir", "built", "uses.ts", folder=folder, needs="apt-get install node-typescript")
    wrong = subprocess.run(["tsc", *strict, "--noEmit", "wrong.ts"], cwd=folder, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    assert [line for line in range(5, 10) if f"wrong.ts({line}," in wrong.stdout] == [5, 6, 7, 8, 9], wrong.stdout
    # The server has the client at its root.
    for name in ("uses.js", "types.js"):
        text = (folder / "built" / name).read_text().replace("'./client.js'", "'/client.js'").replace('"./client.js"', '"/client.js"')
        (folder / name).write_text(text)
    (folder / "index.html").write_text('<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title></title><body><script type="module" src="/uses.js"></script>')
    window = browser.new_context().new_page()
    complaints = []
    window.on("pageerror", lambda error: complaints.append(str(error)))
    window.goto(server.url)
    window.wait_for_function("globalThis.begin")
    assert window.evaluate("begin()") == PRICE
    expect(window).to_have_title("Lamp gone")
    expect(window.locator("body")).to_contain_text("3 coins")
    assert window.evaluate("price()") == PRICE
    window.evaluate("raise()")
    # The new price comes in a patch, and the rest of the row is as it was written.
    expect(window).to_have_title("Lamp n12 for sale")
    assert window.evaluate("price()") == "0.1000000000000000055"
    assert window.evaluate("prices()") == ["0.1000000000000000055"]
    assert server.get(f"/v1/spaces/{space}/market/offer?id=a")["title"] == "Lamp n12"
    assert window.evaluate("refused()") is False
    later()
    assert window.evaluate("refused()") is True
    assert complaints == []


def test_swift_compiles_and_is_used(server, folder, later, space):
    (folder / "Types.swift").write_text(generate("swift", server.url))
    (folder / "main.swift").write_text(textwrap.dedent("""\
        import Foundation
        #if canImport(FoundationNetworking)
        import FoundationNetworking
        #endif

        struct Unexpected: Error {}

        func send(_ method: String, _ path: String, _ fields: [String: String] = [:], _ body: Data? = nil) async throws -> (Int, Data) {
            guard let url = URL(string: CommandLine.arguments[1] + path) else { throw Unexpected() }
            var request = URLRequest(url: url)
            request.httpMethod = method
            request.httpBody = body
            for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
            let (data, response) = try await URLSession.shared.data(for: request)
            guard let answer = response as? HTTPURLResponse else { throw Unexpected() }
            return (answer.statusCode, data)
        }

        func act<Input, Result>(_ name: ActionName<Input, Result>, _ input: Input) async throws -> (Int, ActionAnswer<Result>?) {
            let (status, data) = try await send("POST", name.path(in: CommandLine.arguments[2]), name.fields, name.body(input))
            return (status, status == 200 ? try name.answer(from: data) : nil)
        }

        func read<Value>(_ name: ViewName<Value>) async throws -> Value {
            try name.value(from: try await send("GET", name.path(in: CommandLine.arguments[2])).1)
        }

        let price = Decimal(string: "12345678901234567.89")!
        if CommandLine.arguments[3] == "use" {
            _ = try await act(MarketFeature.offerAction, MarketOfferInput(id: "a b", title: "Lamp", price: price))
            let row: Offer? = try await read(MarketFeature.offerView(id: "a b"))
            let rows = try await read(MarketFeature.offersView)
            let total: Decimal = try await read(MarketFeature.totalView)
            let bought = try await act(MarketFeature.buyAction, MarketBuyInput(id: "a b", how: .cash(PaymentCash(coins: 3))))
            let paid: [PaymentEntry] = try await read(MarketFeature.paymentsView)
            let coins = if case .cash(let cash) = paid[0].row { cash.coins } else { 0 }
            let sold: Offer? = try await read(MarketFeature.offerView(id: "a b"))
            let newer = #"{"title": "Lamp", "price": 1, "state": "lent", "buyer": null, "tags": [], "more": 1}"#
            let lent = try JSONDecoder().decode(Offer.self, from: Data(newer.utf8))
            let other = try JSONDecoder().decode(Payment.self, from: Data(#"{"kind": "barter", "for": "eggs"}"#.utf8))
            print(row?.title ?? "none", row?.price == price, rows.count, total == price, bought.1?.result == price)
            print(row?.state == .open, sold?.state == .sold, coins, lent.state == .unknown("lent"), other == .unknown(.object(["kind": .string("barter"), "for": .string("eggs")])))
        } else {
            print(try await act(MarketFeature.offerAction, MarketOfferInput(id: "b", title: "Chair", price: 1)).0)
        }
        """))
    run("swiftc", "-swift-version", "6", "-warnings-as-errors", "Types.swift", "main.swift", "-o", "uses", folder=folder, needs="Swift's toolchain")
    use = [str(folder / "uses"), server.url, space]
    assert run(*use, "use").split() == ["Lamp", "true", "1", "true", "true", "true", "true", "3", "true", "true"]
    assert run(*use, "offer").split() == ["200"]
    later()
    assert run(*use, "offer").split() == ["409"]
