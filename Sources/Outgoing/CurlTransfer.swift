internal import CCurl
internal import Glibc
internal import StateStore

/// One request in progress, and the part of its response received so far.
final class CurlTransfer: @unchecked Sendable {
    // Sendable because only the libcurl thread touches the mutable state.
    let request: OutgoingRequest
    let done: @Sendable (Result<OutgoingResponse, FetchFailure>) -> Void
    /// Takes the pieces of a successful answer as they arrive, and returns false to end the transfer; nil to gather them.
    private let piece: (@Sendable ([UInt8]) -> Bool)?
    private(set) var handle: OpaquePointer?
    private var lines: OpaquePointer?
    private var fields: [OutgoingRequest.HeaderField] = []
    private var headerBytes = 0
    private var body: [UInt8] = []
    private var isTooLarge = false
    /// An address of the host that the request must not connect to, if there was one.
    private var forbidden: InternetAddress?
    private let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(HW_CURL_ERROR_BUFFER_SIZE))
    private(set) var isOver = false

    init(
        _ request: OutgoingRequest, piece: (@Sendable ([UInt8]) -> Bool)? = nil,
        _ done: @escaping @Sendable (Result<OutgoingResponse, FetchFailure>) -> Void
    ) {
        self.request = request
        self.piece = piece
        self.done = done
        words.initialize(repeating: 0, count: Int(HW_CURL_ERROR_BUFFER_SIZE))
    }

    deinit {
        words.deallocate()
    }

    /// Returns the transfer that a handle belongs to.
    static func of(_ handle: OpaquePointer) -> CurlTransfer? {
        hw_curl_data(handle).map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Creates the handle; call `end` to release it.
    func begin() -> OpaquePointer? {
        guard let handle = hw_curl_easy() else { return nil }
        self.handle = handle
        let own = Unmanaged.passUnretained(self).toOpaque()
        set(HW_CURL_PRIVATE, pointer: own)
        set(HW_CURL_ERROR_BUFFER, pointer: words)
        set(HW_CURL_NO_SIGNAL, 1)
        set(HW_CURL_URL, request.url)
        let isSecure = request.url.prefix(6).lowercased() == "https:"
        set(HW_CURL_PROTOCOLS, HW_CURL_HTTP | HW_CURL_HTTPS)
        set(HW_CURL_REDIRECT_PROTOCOLS, isSecure ? HW_CURL_HTTPS : HW_CURL_HTTP | HW_CURL_HTTPS)
        if request.reach == nil {
            set(HW_CURL_FOLLOW, 1)
            set(HW_CURL_REDIRECTS_LIMIT, Outgoing.redirectsLimit)
        } else {
            guard guardAddresses() else { return nil }
        }
        if piece == nil {
            set(HW_CURL_TIMEOUT_MS, Self.milliseconds(request.timeout))
        } else {
            // A stream has no end. It fails when the server is silent for the time.
            set(HW_CURL_LOW_SPEED_LIMIT, 1)
            set(HW_CURL_LOW_SPEED_SECONDS, max(1, Self.milliseconds(request.timeout) / 1_000))
        }
        set(HW_CURL_CONNECT_TIMEOUT_MS, Self.milliseconds(min(request.timeout, Outgoing.connectTimeout)))
        set(HW_CURL_USER_AGENT, "Headwater")
        // Every encoding that libcurl can decode; the decoded size counts against the limit.
        set(HW_CURL_ACCEPT_ENCODING, "")
        if let certificates = getenv("SSL_CERT_FILE") { hw_curl_set_text(handle, Int32(HW_CURL_CA_FILE), certificates) }
        setMethod()
        for field in request.fields { lines = hw_curl_list(lines, "\(field.name): \(field.value)") ?? lines }
        if let lines { hw_curl_set_pointer(handle, Int32(HW_CURL_HEADERS), UnsafeRawPointer(lines)) }
        hw_curl_set_sink(handle, Int32(HW_CURL_WRITE)) { bytes, size, count, data in
            CurlTransfer.taking(data) { $0.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count)) }
                ? size * count : 0
        }
        hw_curl_set_sink(handle, Int32(HW_CURL_HEADER)) { bytes, size, count, data in
            CurlTransfer.taking(data) { $0.takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count)) }
                ? size * count : 0
        }
        set(HW_CURL_WRITE_DATA, pointer: own)
        set(HW_CURL_HEADER_DATA, pointer: own)
        return handle
    }

    /// Lets the transfer connect to permitted addresses only. A proxy would connect to others, so there is none.
    private func guardAddresses() -> Bool {
        set(HW_CURL_PROXY, "")
        guard let handle else { return false }
        return hw_curl_guard(
            handle,
            { bytes, count, data in
                let address = InternetAddress(Array(UnsafeBufferPointer(start: bytes, count: count)))
                return CurlTransfer.taking(data) { $0.permits(address) }
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func permits(_ address: InternetAddress?) -> Bool {
        guard let address, let reach = request.reach else { return false }
        if address.reach <= reach { return true }
        forbidden = address
        return false
    }

    private func setMethod() {
        guard let handle else { return }
        if let body = request.body {
            set(HW_CURL_POST, 1)
            // libcurl copies the bytes once it knows the size. The request keeps them alive longer than the handle.
            set(HW_CURL_POST_SIZE, body.count)
            _ = body.withUnsafeBytes {
                hw_curl_set_pointer(handle, Int32(HW_CURL_COPY_POST_FIELDS), $0.baseAddress ?? UnsafeRawPointer(words))
            }
        }
        if request.method != (request.body == nil ? "GET" : "POST") { set(HW_CURL_CUSTOM_REQUEST, request.method) }
    }

    /// Releases the handle.
    func end() {
        isOver = true
        if let handle { hw_curl_easy_end(handle) }
        handle = nil
        hw_curl_list_end(lines)
        lines = nil
    }

    /// Returns the result for libcurl's code. Precondition: the handle is not released.
    func result(_ code: Int32) -> Result<OutgoingResponse, FetchFailure> {
        if isTooLarge {
            return .failure(FetchFailure(.tooLarge, "\(place) answered with more than \(request.bodyLimitBytes) bytes"))
        }
        if code != Int32(HW_CURL_OK), let forbidden {
            let kind = forbidden.reach == .local ? "private" : "reserved"
            return .failure(FetchFailure(.refused, "\(place) leads to \(forbidden), a \(kind) address"))
        }
        guard code == Int32(HW_CURL_OK), let handle else {
            let told = String(cString: words)
            let reason = told.isEmpty ? String(cString: hw_curl_words(code)) : told
            return .failure(FetchFailure(kind(code), "\(place) \(phrase(code)): \(reason)"))
        }
        return .success(OutgoingResponse(status: Int(hw_curl_status(handle)), fields: fields, body: body))
    }

    /// The address without the query, user and password, which may be secret.
    private var place: String { request.place }

    private func kind(_ code: Int32) -> FetchFailure.Kind {
        switch Int(code) {
        case HW_CURL_MALFORMED_URL: .refused
        case HW_CURL_NO_PROXY, HW_CURL_NO_HOST, HW_CURL_NO_CONNECTION, HW_CURL_NO_TLS, HW_CURL_NOT_TRUSTED,
            HW_CURL_NO_CERTIFICATES:
            .unreachable
        case HW_CURL_TIMED_OUT: .timedOut
        case HW_CURL_TOO_MANY_REDIRECTS: .redirected
        // libcurl reports this code for a redirect to another protocol, and for a response that is not HTTP.
        case HW_CURL_UNSUPPORTED_PROTOCOL: fields.isEmpty ? .broken : .redirected
        default: .broken
        }
    }

    private func phrase(_ code: Int32) -> String {
        switch kind(code) {
        case .refused: "is not a valid URL"
        case .unreachable: "cannot be reached"
        case .timedOut: "timed out"
        case .redirected: "redirected incorrectly"
        case .broken, .tooLarge: "failed"
        }
    }

    // MARK: Receiving

    private static func taking(_ data: UnsafeMutableRawPointer?, _ body: (CurlTransfer) -> Bool) -> Bool {
        data.map { body(Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue()) } ?? false
    }

    private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if let piece, let handle, (200..<300).contains(hw_curl_status(handle)) { return piece(Array(bytes)) }
        guard body.count + bytes.count <= request.bodyLimitBytes else {
            isTooLarge = true
            return false
        }
        body.append(contentsOf: bytes)
        return true
    }

    private func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        guard headerBytes <= Outgoing.headerLimitBytes else { return false }
        let line = String(decoding: bytes, as: UTF8.self)
        // A status line starts another response, after a redirect or an interim response. It discards the previous one.
        if line.hasPrefix("HTTP/") {
            fields = []
            body = []
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            let end = value.lastIndex { !$0.isWhitespace }.map { value.index(after: $0) } ?? value.startIndex
            fields.append(.init(String(line[..<colon]), String(value[..<end])))
        }
        return true
    }

    // MARK: Options

    private func set(_ option: Int, _ value: Int) {
        if let handle { hw_curl_set_long(handle, Int32(option), value) }
    }

    private func set(_ option: Int, _ value: String) {
        if let handle { hw_curl_set_text(handle, Int32(option), value) }
    }

    private func set(_ option: Int, pointer: UnsafeRawPointer) {
        if let handle { hw_curl_set_pointer(handle, Int32(option), pointer) }
    }

    private static func milliseconds(_ duration: Duration) -> Int {
        max(1, Int(duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000))
    }
}
