print("headwater")
