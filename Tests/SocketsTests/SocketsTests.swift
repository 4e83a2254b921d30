@testable import Sockets
