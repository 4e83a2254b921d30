import HeadwaterClient

/// A view of SwiftUI.
struct Text { init(_ text: String) {} }

@MainActor static func live(_ space: ClientSpace) {
    // snippet
}
