import ClientWorld
import Ground
public import HeadwaterClient
public import JSON
import ServiceInProcess
public import StateStore

/// The whole service of features behind clients, in one process and in virtual time: no socket, no thread, no waiting.
///
///     let service = try TestService([auction.feature()], subjects: ["ada", "bo"])
///     let ada = service.device(of: "ada")
///     let sale = ada.client.space("main", of: auction)
///     let lots = sale.live(\.open)
///     ada.network.isOnline = false
///     let bid = sale.perform(\.bid, Bid(lot: "guitar", amount: 120))
///     await service.advance(.seconds(3))      // lots.phase is stale, and the bid waits.
///     ada.network.isOnline = true
///     await service.advance(.seconds(60))
///     try await bid.shown()
///
/// Requests and answers are those of the wire, so a test sees what an app sees.
@MainActor public final class TestService {
    private let service: ServiceInProcess
    private let subjects: [String]
    private var devices: [TestDevice] = []

    /// A service of features, whose state is in memory. With `subjects` each device needs the token of one of them; the token
    /// may read and act in each space. Throws the fault of the registration.
    public init(_ features: [Feature], subjects: [String] = []) throws {
        self.subjects = subjects
        let lines = subjects.map { subject in
            let digest = SHA256.digest(Self.token(of: subject).utf8)
            let text = digest.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
            return "\(text) read,act * subject=\(subject)"
        }
        service = try ServiceInProcess(
            tokenFile: subjects.isEmpty ? nil : lines.joined(separator: "\n") + "\n", features: features)
    }

    private static func token(of subject: String) -> String { "token-of-\(subject)" }

    /// A device with an app, whose client has the token of a subject. With the storage of another device it is the same
    /// device after a restart of the app.
    public func device(of subject: String? = nil, storage: any ClientStorage = MemoryStorage()) -> TestDevice {
        let device = TestDevice(
            number: devices.count, token: subject.map { Self.token(of: $0) }, storage: storage)
        devices.append(device)
        return device
    }

    /// Moves the time of the service and of all devices, and all bytes between them. Values of screens are up to date when it
    /// returns.
    public func advance(_ duration: Duration = .milliseconds(500)) async {
        let step = Duration.milliseconds(50)
        var left = duration
        while left > .zero {
            let part = min(step, left)
            left -= part
            service.advance(milliseconds: Int(part / .milliseconds(1)))
            for device in devices { device.advance(part, service) }
            // The updates of screens are tasks of the main actor.
            await Task.yield()
        }
        await Task.yield()
    }

    /// Performs an action as a subject, without a device: `auction/bid` with an input in JSON. Returns the status and the
    /// content of the answer, null if it is no JSON.
    @discardableResult
    public func perform(
        _ action: String, _ input: JSON = [:], in space: String = "main", by subject: String? = nil
    ) throws -> (status: Int, content: JSON) {
        let body = try input.json()
        var head = "POST /v1/spaces/\(space)/\(action) HTTP/1.0\r\nHost: localhost\r\n"
        head += "Content-Type: application/json\r\n"
        if let subject { head += "Authorization: Bearer \(Self.token(of: subject))\r\n" }
        head += "Content-Length: \(body.count)\r\n\r\n"
        let answer = try service.answer(to: [Array(head.utf8) + body])
        let text = String(decoding: answer, as: UTF8.self)
        let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else { return (status, .null) }
        return (status, (try? JSON(parsing: Array(answer[end.upperBound...]))) ?? .null)
    }
}

/// A device of a test: its client, and its network with faults.
@MainActor public final class TestDevice {
    /// The client of the app.
    public let client: HeadwaterClient
    /// The network of the device.
    public let network: FaultyTransport

    private let loop: HandLoop
    private let cable: FaultyNetwork

    init(number: Int, token: String?, storage: any ClientStorage) {
        loop = HandLoop(seed: UInt64(number) + 1)
        cable = FaultyNetwork(seed: UInt64(number) + 1)
        network = FaultyTransport(cable, loop: loop)
        client = HeadwaterClient(transport: network, storage: storage, loop: loop) { _, answer in
            answer(.success(token))
        }
    }

    func advance(_ duration: Duration, _ service: ServiceInProcess) {
        loop.advance(duration)
        for _ in 0..<2 {
            do {
                try cable.pump(service)
            } catch {
                preconditionFailure("the service in process makes no connection: \(error)")
            }
            service.settle()
            loop.settle()
        }
    }
}
