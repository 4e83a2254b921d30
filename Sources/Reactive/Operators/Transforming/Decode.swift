/// A decoder for values in a serialized form.
public protocol ValueDecoder {
    /// The serialized form.
    associatedtype Input
    /// Decodes a value from `input`.
    func decode<Output: Decodable>(_ type: Output.Type, from input: Input) throws -> Output
}

extension Observable {
    /// Decodes each value. A value that cannot be decoded fails the observable.
    @inlinable
    public func decode<Output: Decodable, Decoder: ValueDecoder>(
        _ type: Output.Type, by decoder: Decoder
    ) -> Observable<Output> where Decoder.Input == Value {
        map { try decoder.decode(type, from: $0) }
    }
}
