import HeadwaterClient

static func network(_ server: PreviewServer) {
    // snippet
    _ = client
}
