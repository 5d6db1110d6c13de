# installation is added with the first room that is complete
