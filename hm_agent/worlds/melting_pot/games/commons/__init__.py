"""Common goods: a river that somebody has to clean, and apples that grow back only beside others."""
