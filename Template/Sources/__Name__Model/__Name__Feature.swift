public import StateModel

/// The feature: its name in every URL, and its parts.
public let feature = Feature("__name__", __Name__State.init, __Name__Service.init, __Name__ViewModel.init)
