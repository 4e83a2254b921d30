#if canImport(SwiftUI)
    public import JSON
    public import SwiftUI

    /// A view of the server in a screen: the value as the property, and its phase as `$lots.phase`. It is watched from the
    /// first time that the screen is shown, for as long as the screen lives.
    ///
    ///     @Live private var lots: [Lot]?
    ///
    ///     init(_ sale: FeatureSpace<AuctionState, AuctionService, AuctionViewModel>) {
    ///         _lots = Live { sale.live(\.open) }
    ///     }
    @MainActor @propertyWrapper
    public struct Live<Value: Sendable>: @MainActor DynamicProperty {
        /// The value, made once for each screen.
        @MainActor private final class LiveHolder {
            let make: () -> LiveValue<Value>
            lazy var value = make()
            init(_ make: @escaping () -> LiveValue<Value>) { self.make = make }
        }

        @State private var holder: LiveHolder

        /// A value that `make` begins to watch.
        public init(_ make: @escaping @MainActor () -> LiveValue<Value>) {
            _holder = State(initialValue: LiveHolder(make))
        }

        /// The last value; nil before the first one, and for a view that is refused.
        public var wrappedValue: Value? { holder.value.value }
        /// The value with its phase.
        public var projectedValue: LiveValue<Value> { holder.value }
    }

    extension View {
        /// Is present in a table of a space while this view is shown.
        public func presence(
            _ table: String, in space: ClientSpace, as key: String? = nil, with row: JSON = [:]
        ) -> some View { modifier(PresenceModifier(table: table, space: space, key: key, row: row)) }
    }

    /// The presence of a view that is shown.
    private struct PresenceModifier: ViewModifier {
        let table: String
        let space: ClientSpace
        let key: String?
        let row: JSON
        @State private var held: HeldPresence?

        func body(content: Content) -> some View {
            content
                .onAppear { held = space.presence(table, as: key, with: row) }
                .onDisappear { held = nil }
        }
    }
#endif
