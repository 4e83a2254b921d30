import HTTP

/// The tag of the current values as a client sent it, which a 304 repeats.
enum RepeatedTag {
    /// A tag in the server's own form, possibly with other versions of the same values.
    case versions(ShownVersions)
    /// A tag in another form, with its quotation marks: a proxy has marked it as weak, or appended a coding.
    case written(String)
}
