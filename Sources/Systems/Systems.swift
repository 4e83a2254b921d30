public import StateStore

/// Returns the systems of a server: one line each, with the state that they share.
public func systems(_ configuration: SystemsConfiguration = SystemsConfiguration()) -> [Feature] {
    [
        Feature("user", UserState.init, UserService.init, UserViewModel.init),
        Feature("catalog", in: .common, CatalogState.init, CatalogService.init, CatalogViewModel.init),
        Feature("cart", given: CatalogState.self, CartState.init, CartService.init, CartViewModel.init),
        Feature(
            "rates", in: .common, RatesState.init, RatesService.init, RatesViewModel.init,
            effects: configuration.ratesEffects),
        Feature(
            "luthier", given: RatesState.self, LuthierState.init, LuthierService.init, LuthierViewModel.init,
            effects: configuration.luthierEffects),
        Feature(
            "activity", in: .common, ActivityState.init, ActivityService.init, { _ in ActivityViewModel() },
            effects: configuration.activityEffects),
        Feature(
            "feed", given: ActivityState.self, FeedState.init, { feed, _ in FeedService(feed) }, FeedViewModel.init,
            effects: configuration.feedEffects),
    ]
}

extension SystemsConfiguration {
    @Sendable fileprivate func ratesEffects(_ rates: RatesState, _ outside: Outside) -> any Effects {
        RatesEffects(rates, outside, self.rates.map { RemoteRates(url: $0, outside: outside) } ?? BuiltInRates())
    }

    @Sendable fileprivate func activityEffects(_ activity: ActivityState, _ outside: Outside) -> any Effects {
        ActivityEffects(activity, outside, GitHub(base: Self.base(gitHub), token: gitHubToken))
    }

    @Sendable fileprivate func feedEffects(
        _ feed: FeedState, _ activity: ReadOnly<ActivityState>, _ outside: Outside
    ) -> any Effects {
        FeedEffects(feed, activity, outside, GitHub(base: Self.base(gitHub), token: gitHubToken))
    }

    @Sendable fileprivate func luthierEffects(
        _ luthier: LuthierState, _ rates: ReadOnly<RatesState>, _ outside: Outside
    ) -> any Effects {
        let remote = workshop.map { RemoteWorkshop(base: Self.base($0), outside: outside) }
        return LuthierEffects(
            luthier, rates, outside, remote ?? BuiltInWorkshop(latency: workshopLatency, clock: outside.scheduler))
    }

    /// Returns a base URL without a slash at the end.
    private static func base(_ address: String) -> String {
        address.hasSuffix("/") ? String(address.dropLast()) : address
    }
}
