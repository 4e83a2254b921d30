/// What a space tells of views where it answers.
extension Space {
    /// Views as they are just now; those of `common` as its replica has them but, in `common` itself, as its own commit has made them.
    func news(_ views: [String]) -> Watch.News {
        if views.isEmpty { return [] }
        return views.compactMap { name in (spread == nil ? store.cell(name, in: self) : cell(name)).map { (name, $0.current()) } }
    }
}
