/// A request method (RFC 9110, section 9).
package enum Method: String, Sendable {
    /// Reads the resource.
    case get = "GET"
    /// Reads the header fields of `get` without the content.
    case head = "HEAD"
    /// Passes the content to the resource.
    case post = "POST"
    /// Replaces the resource with the content.
    case put = "PUT"
    /// Deletes the resource.
    case delete = "DELETE"
    /// Asks for the supported methods.
    case options = "OPTIONS"
    /// Any other method.
    case other = ""
}
