import Hosting
import Foundation
import JSON
import Reactive
import ScriptedOutside
import ServerReads
import StateStore
import Systems

@testable import Documents

/// A server without a network: stores on a journal in memory, with synchronous execution.
final class Shop {
    let stores: Stores
    let journal: MemoryJournal
    let fetcher = ScriptedFetcher()
    private let here = QueueExecutor()

    init(
        _ journal: MemoryJournal = MemoryJournal(), _ configuration: SystemsConfiguration = SystemsConfiguration()
    ) throws {
        self.journal = journal
        stores = try Stores(
            try Self.registry(configuration), executors: [here], writer: InlineJournalWriter(journal), fetcher: fetcher,
            seed: 1,
            clock: { [here] in here.now })
        here.run()
    }

    /// The form of `user`, `catalog` and `cart`.
    enum SystemsForm: CaseIterable {
        case swift
        /// The documents of `Examples/documents/shop`.
        case documents
    }

    /// The form in which a test has the systems.
    @TaskLocal static var form = SystemsForm.swift

    /// The features of the systems, in the form of the test.
    static func registry(_ configuration: SystemsConfiguration = SystemsConfiguration()) throws -> Registry {
        let all = systems(configuration)
        switch form {
        case .swift: return try Registry(all)
        case .documents:
            let described = try documents.get()
            return try Registry(all.filter { described[$0.name] == nil })
                .describing(described.values.map { DeployedFeature($0) })
        }
    }

    /// The compiled documents.
    private static let documents = Result { () throws -> [String: any FeatureDescription] in
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let directory = try DocumentDirectory(root.appending(path: "Examples/documents/shop").path)
        return try FeatureCompiler().compile(directory.documents, beside: [:]).mapValues { try $0.get() }
    }

    var store: Store { stores[0] }

    /// Advances the virtual time.
    func advance(_ duration: Duration) {
        here.run()
        let end = here.clock.now + duration
        while let next = here.clock.next, next <= end {
            here.clock.advance(to: next)
            here.run()
        }
        here.clock.advance(to: end)
    }

    /// Answers the request at a place.
    @discardableResult
    func answer(
        _ place: String, _ body: String = "", status: Int = 200, fields: [OutgoingRequest.HeaderField] = [],
        failing: Bool = false
    ) -> Bool {
        let isAsked = fetcher.answer(place, body, status: status, fields: fields, failing: failing)
        here.run()
        return isAsked
    }

    /// Performs the action `feature/name`; returns its result, or its refusal in words.
    @discardableResult
    func post(
        _ action: String, _ input: String = "", in space: String = "main", key: String? = nil, views: [String] = []
    ) -> Result<Answer, Refusal> {
        let parts = action.split(separator: "/").map(String.init)
        var answer: Result<Answer, Refusal>?
        store.perform(
            Call(
                feature: parts[0], action: parts[1], input: input.isEmpty ? nil : Array(input.utf8), key: key,
                views: .ofServer(views, in: SpaceName(space)!, store.registry)),
            in: SpaceName(space)!
        ) { answer = $0 }
        here.run()
        return answer!
    }

    /// Deletes a space; returns false if it did not exist.
    func forget(_ space: String) throws -> Bool {
        var result: Result<Bool, Refusal>?
        store.forget(SpaceName(space)!) { result = $0 }
        here.run()
        return try result!.get()
    }

    /// Returns a view as JSON.
    func get(_ view: String, in space: String = "main") -> String {
        var read: Result<ViewSnapshot, Refusal>?
        store.read([view], in: SpaceName(space)!) { read = $0 }
        guard case .success(let reading) = read!, case .success(let value) = reading.views[0].frame.value else {
            return "\(read!)"
        }
        return String(decoding: value.bytes, as: UTF8.self)
    }

    /// Watches views, and returns the record of the emissions.
    func watch(_ views: [String], in space: String = "main") -> WatchRecord {
        let record = WatchRecord()
        record.watch = store.watch(views, in: SpaceName(space)!) { news in
            guard case .success(let news) = news else { return record.events.append("\(news)") }
            let values = news.map { view, frame in
                Emission(
                    view: "\(view)",
                    value: (try? frame.value.get()).map { String(decoding: $0.bytes, as: UTF8.self) } ?? "failed")
            }
            record.emissions.append(values)
            record.events.append(values.map { "\($0.view)=\($0.value)" }.joined(separator: " "))
        }
        return record
    }

    /// A view and its emitted value.
    struct Emission: Equatable {
        let view: String
        let value: String
    }

    /// The record of a watch; the watch ends with it.
    final class WatchRecord {
        var events: [String] = []
        var emissions: [[Emission]] = []
        var watch: Watch?
    }

    /// An executor on the only thread: a posted job runs after the current one.
    private final class QueueExecutor: Executor, @unchecked Sendable {
        // Sendable because the test has only one thread.
        let clock = VirtualScheduler()
        var scheduler: any Scheduler { clock }
        var now: Timestamp { Timestamp(microseconds: 1_700_000_000_000_000 + clock.now.nanoseconds / 1_000) }
        private var jobs: [@Sendable () -> Void] = []

        func post(_ job: @escaping @Sendable () -> Void) {
            jobs.append(job)
        }

        func run() {
            while !jobs.isEmpty { jobs.removeFirst()() }
        }
    }
}

extension Result where Success == Answer, Failure == Refusal {
    /// The version and the changed variables, or the refusal.
    var summary: String {
        switch self {
        case .success(let answer): "\(answer.version) \(answer.changed.joined(separator: ","))"
        case .failure(.rejected(let rejection)):
            "\(rejection.kind) \(rejection.pointer.map { "\($0)" } ?? "-"): \(rejection)"
        case .failure(let refusal): "\(refusal)"
        }
    }
}
