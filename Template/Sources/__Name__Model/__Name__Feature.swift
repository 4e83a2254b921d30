public import StateModel

/// The feature, for the server, for apps and for tests: its name in every URL, and its parts.
public let model = FeatureModel("__name__", __Name__State.init, __Name__Service.init, __Name__ViewModel.init)
