// skip: SwiftUI is not on this system
