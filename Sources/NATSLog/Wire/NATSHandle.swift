/// An object of libnats, which any thread may use until it is freed.
struct NATSHandle: @unchecked Sendable {
    // Sendable because libnats locks each of its objects.
    let pointer: OpaquePointer
}
