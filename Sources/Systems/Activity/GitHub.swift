import JSON
import StateStore

/// The requests to GitHub's API, and the parsing of its responses.
struct GitHub {
    /// The base URL, without a slash at the end.
    let base: String
    let token: String?

    /// Returns a request for the newest events of a repository, conditional on a change since `source`.
    func events(of repository: String, after source: PolledRepository) -> OutgoingRequest {
        var request = request("repos/\(repository)/events")
        if let etag = source.etag { request.fields.append(.init("If-None-Match", etag)) }
        if let lastModified = source.lastModified { request.fields.append(.init("If-Modified-Since", lastModified)) }
        return request
    }

    /// Returns a request for the most starred repositories of a language. A name of several words needs quotation
    /// marks; otherwise GitHub searches for the first word only.
    func trending(_ language: String, count: Int) -> OutgoingRequest {
        let term = language.contains(" ") ? "\"\(language.filter { $0 != "\"" })\"" : language
        return request("search/repositories?q=language:\(term.percentEncoded)&sort=stars&order=desc&per_page=\(count)")
    }

    private func request(_ path: String) -> OutgoingRequest {
        var request = OutgoingRequest("GET", "\(base)/\(path)", target: "github")
        request.fields = [.init("Accept", "application/vnd.github+json"), .init("X-GitHub-Api-Version", "2022-11-28")]
        if let token { request.fields.append(.init("Authorization", "Bearer \(token)")) }
        return request
    }

    /// Returns the events in a response; malformed events are skipped.
    static func events(in response: OutgoingResponse) throws(UnusableResponse) -> [FeedEvent] {
        guard case .array(let told) = try json(in: response) else {
            throw UnusableResponse("GitHub answered without a list of events")
        }
        return FeedEvent.merged([told.compactMap(FeedEvent.init)])
    }

    /// Returns the repository names in a search response. An empty result is an error.
    static func repositories(
        in response: OutgoingResponse, of language: String, limit: Int
    ) throws(UnusableResponse) -> [String] {
        guard response.isSuccess else {
            throw UnusableResponse("GitHub answered the search for \(language) with \(response.status)")
        }
        let found = try json(in: response).list("items").compactMap { item -> String? in
            guard case .string(let name)? = item["full_name"], name.isRepository else { return nil }
            return name
        }
        guard !found.isEmpty else { throw UnusableResponse("GitHub knows no repositories of the language \(language)") }
        return Array(found.prefix(limit))
    }

    /// Returns the pause that a rate-limit response requires; nil for any other response.
    static func pause(after response: OutgoingResponse, at now: Timestamp) -> Pause? {
        guard !response.isSuccess, response.status != 304 else { return nil }
        let rest = response.rest(at: Int(now.microseconds / 1_000_000))
        guard response.status == 403 || response.status == 429 || rest != nil else { return nil }
        let seconds = Int((rest ?? Poller.interval).components.seconds)
        return Pause(
            until: Int(now.microseconds) + seconds * 1_000_000,
            reason: "GitHub allows no more requests for \(seconds) seconds")
    }

    private static func json(in response: OutgoingResponse) throws(UnusableResponse) -> JSON {
        do {
            return try JSON(parsing: response.body)
        } catch {
            throw UnusableResponse("GitHub answered with malformed JSON: \(error)")
        }
    }
}

/// The polling limits in a response header.
extension OutgoingResponse {
    /// The maximum wait that a server can request, in seconds.
    private static let patienceSeconds = 24 * 60 * 60

    /// The minimum time before the same request is repeated, or nil.
    var pollInterval: Duration? { seconds("X-Poll-Interval").map { .seconds($0) } }

    /// Returns the time without requests that the header demands, or nil; `now` is in seconds since 1970.
    func rest(at now: Int) -> Duration? {
        if let wait = seconds("Retry-After") { return .seconds(wait) }
        if let date = self["Retry-After"].flatMap({ Timestamp(httpDate: $0) }) {
            return .seconds(min(max(Int(date.seconds) - now, 0), Self.patienceSeconds))
        }
        guard self["X-RateLimit-Remaining"] == "0", let reset = self["X-RateLimit-Reset"].flatMap({ Int($0) }),
            reset > now
        else {
            return nil
        }
        return .seconds(min(reset - now, Self.patienceSeconds))
    }

    private func seconds(_ name: String) -> Int? {
        self[name].flatMap { Int($0) }.map { min(max($0, 0), Self.patienceSeconds) }
    }
}
