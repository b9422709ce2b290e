"""Daycare: a parent reaches all fruit and a child hardly any, and only the child sees which kind it likes."""
