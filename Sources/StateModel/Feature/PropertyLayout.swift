/// The stored properties of a type that are objects of one kind: found once, by reflection of an exemplar, and read from
/// every other value of the type by their offsets.
///
/// The offsets are verified, as `StoredProperty` says, and each must hold the object that reflection found. A type for
/// which they are not (a class, a type with a stored existential) is reflected for each value.
struct PropertyLayout<Kind> {
    /// An object that has been recognized.
    struct Recognized {
        let value: Kind
        let object: AnyObject
        /// Returns another object of the same type as a value of the kind.
        let cast: (AnyObject) -> Kind
    }

    private struct Place {
        let offset: Int
        let type: ObjectIdentifier
        let cast: (AnyObject) -> Kind
    }

    /// The names of the properties of the kind, in the order of their declaration.
    let labels: [String]
    /// The names of the other properties.
    let strangers: [String]
    /// The places of the properties; nil if each value is reflected.
    private let places: [Place]?
    private let recognize: (Any) -> Recognized?

    /// Finds the properties of an exemplar. `recognize` returns nil for a value of another kind.
    init<Value>(of exemplar: Value, _ recognize: @escaping (Any) -> Recognized?) {
        let children = Mirror(reflecting: exemplar).children.map { ($0.label ?? "", $0.value) }
        let found = children.map { recognize($0.1) }
        labels = zip(children, found).compactMap { $1 == nil ? nil : $0.0 }
        strangers = zip(children, found).compactMap { $1 == nil ? $0.0 : nil }
        places = Self.places(of: found, in: exemplar)
        self.recognize = recognize
    }

    /// The places of the recognized properties; nil if their offsets cannot be verified.
    private static func places<Value>(of found: [Recognized?], in exemplar: Value) -> [Place]? {
        guard let properties = StoredProperty.all(of: exemplar, isVerified: true), properties.count == found.count
        else { return nil }
        return withUnsafeBytes(of: exemplar) { bytes in
            var places: [Place] = []
            for (property, recognized) in zip(properties, found) {
                guard let recognized else { continue }
                let address = Unmanaged.passUnretained(recognized.object).toOpaque()
                guard property.offset + MemoryLayout<UnsafeRawPointer>.size <= bytes.count,
                    bytes.load(fromByteOffset: property.offset, as: UnsafeRawPointer?.self) == UnsafeRawPointer(address)
                else { return nil }
                places.append(
                    Place(
                        offset: property.offset, type: ObjectIdentifier(type(of: recognized.object)),
                        cast: recognized.cast))
            }
            return places
        }
    }

    /// Reads the properties of a value, in the order of `labels`. Precondition: the value has the type of the exemplar.
    func read<Value>(_ value: Value) -> [Kind] {
        guard let places else { return reflect(value) }
        return withUnsafeBytes(of: value) { bytes in
            var kinds: [Kind] = []
            kinds.reserveCapacity(places.count)
            for place in places {
                let address = bytes.load(fromByteOffset: place.offset, as: UnsafeRawPointer?.self)
                // A property that is nil in this value, or an object of another class.
                guard let address,
                    case let object = Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue(),
                    ObjectIdentifier(type(of: object)) == place.type
                else { return reflect(value) }
                kinds.append(place.cast(object))
            }
            return kinds
        }
    }

    private func reflect(_ value: Any) -> [Kind] {
        Mirror(reflecting: value).children.compactMap { recognize($0.value)?.value }
    }
}

extension PropertyLayout where Kind == any PersistentState {
    /// The variables and tables of a state.
    init<State>(ofState state: State) {
        self.init(of: state, Self.recognizeState)
    }

    private static func recognizeState(_ value: Any) -> Recognized? {
        guard let state = value as? any PersistentState else { return nil }
        let type = type(of: state)
        return Recognized(value: state, object: state) { type.cast($0) }
    }
}

extension PropertyLayout where Kind == any StateIndexing {
    /// The indexes of a state.
    init<State>(ofIndexesIn state: State) {
        self.init(of: state, Self.recognizeIndex)
    }

    private static func recognizeIndex(_ value: Any) -> Recognized? {
        guard let index = value as? any StateIndexing else { return nil }
        let type = type(of: index)
        return Recognized(value: index, object: index) { type.cast($0) }
    }
}

extension PropertyLayout where Kind == any StoredView {
    /// The views of a view model.
    init(ofViewModel model: some ViewModel) {
        self.init(of: model, Self.recognizeView)
    }

    private static func recognizeView(_ value: Any) -> Recognized? {
        guard let view = value as? any StoredView else { return nil }
        let type = type(of: view)
        return Recognized(value: view, object: view) { type.cast($0) }
    }
}

extension PropertyLayout where Kind == ReadRule {
    /// The rule of the views of a view model.
    init(ofRuleIn model: some ViewModel) {
        self.init(of: model) { value in
            (value as? ReadRule).map { Recognized(value: $0, object: $0) { unsafeDowncast($0, to: ReadRule.self) } }
        }
    }
}

extension PropertyLayout where Kind == ActRule {
    /// The rule of the actions of a service.
    init(ofRuleIn service: some StateService) {
        self.init(of: service) { value in
            (value as? ActRule).map { Recognized(value: $0, object: $0) { unsafeDowncast($0, to: ActRule.self) } }
        }
    }
}

extension PropertyLayout where Kind == ActionClosures {
    /// The closures of the actions of a service.
    init(ofService service: some StateService) {
        self.init(of: service, Self.recognizeAction)
    }

    private static func recognizeAction(_ value: Any) -> Recognized? {
        guard let closures = (value as? any AnyAction)?.closures else { return nil }
        return Recognized(value: closures, object: closures) { unsafeDowncast($0, to: ActionClosures.self) }
    }
}

extension PersistentState {
    fileprivate static func cast(_ object: AnyObject) -> any PersistentState { unsafeDowncast(object, to: Self.self) }
}

extension StoredView {
    fileprivate static func cast(_ object: AnyObject) -> any StoredView { unsafeDowncast(object, to: Self.self) }
}
