extension OperatorCatalog {
    /// All operators. Documents are read, the schema is written and `docs/streams.md` is tested by this list.
    static let all = OperatorCatalog(
        OperatorForm.transforming + OperatorForm.selecting + OperatorForm.folding + OperatorForm.joining
            + OperatorForm.timing + OperatorForm.recovering)
}
