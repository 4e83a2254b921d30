/// What a request asks to be done (RFC 9110, section 9).
public enum Method: String, Sendable {
    /// What is there.
    case get = "GET"
    /// As `get`, without the content.
    case head = "HEAD"
    /// What the target does with what is sent.
    case post = "POST"
    /// Puts what is sent in the target's place.
    case put = "PUT"
    /// Takes the target away.
    case delete = "DELETE"
    /// What may be asked.
    case options = "OPTIONS"
    /// Anything else.
    case other = ""
}
