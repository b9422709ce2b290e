"""What a process needs: interruptions that do no harm, jobs side by side, temporary files that go with it."""
