"""Meta-evaluation: how well do metrics agree with human judgments, and is one better than another?"""
