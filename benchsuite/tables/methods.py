"""The competitors, with the settings that a competent user of such small tables would take.

A method is a function from a split to probabilities [test rows, classes of the training rows, in their order]. Where a
library's default wants 20 rows in a leaf, it is 5 here; otherwise defaults, except as written below. Trees see categories
as 0/1 columns too: codes in the values' order were no better for forests and boosting on the real tables.
"""

import warnings

import numpy as np

SEED = 0


def fitted(model, x):
    """A method from a function that makes a scikit-learn classifier and one that picks its inputs."""

    def run(split):
        train, test = x(split)
        classes, y = np.unique(split.y, return_inverse=True)
        return model(split).fit(train, y).predict_proba(test)

    return run


def one_hot(split):
    return split.x


def prior(split):
    """The shares of classes among the training rows: what knows nothing else should say."""
    count = np.unique(split.y, return_counts=True)[1]
    return np.tile(count / count.sum(), (len(split.y_test), 1))


def logistic(split):
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=1.0, max_iter=2000)


def logistic_cv(split):
    """C from a grid by the log-loss of up to 5 stratified folds; a class may be absent from a fold's training rows."""
    from measures import log_loss
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold

    grid, x = np.logspace(-3, 3, 7), split.x[0]
    classes, y = np.unique(split.y, return_inverse=True)
    make = lambda c: LogisticRegression(C=c, max_iter=2000)
    losses = np.zeros(len(grid))
    # With a single row of each class there is nothing to hold out.
    folds = min(5, np.bincount(y).max())
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=SEED).split(x, y) if folds > 1 else []:
        if len(set(y[train])) < 2:
            continue
        for i, c in enumerate(grid):
            model = make(c).fit(x[train], y[train])
            p = np.zeros((len(test), len(classes)))
            p[:, model.classes_] = model.predict_proba(x[test])
            losses[i] += log_loss(p, y[test]) * len(test)
    return make(grid[losses.argmin()] if losses.any() else 1.0)


def naive_bayes(split):
    """Gaussian for numbers and categorical with add-one smoothing for the rest, as one product."""
    from sklearn.naive_bayes import CategoricalNB, GaussianNB

    classes, y = np.unique(split.y, return_inverse=True)
    prior = np.log(np.bincount(y) / len(y))
    log = np.tile(prior, (len(split.y_test), 1))
    if split.numbers[0].shape[1]:
        # A class with one row has no deviation of its own: a tenth of the column's variance is added to all.
        model = GaussianNB(var_smoothing=0.1).fit(split.numbers[0], y)
        log += model.predict_joint_log_proba(split.numbers[1]) - prior
    if split.sizes:
        # Values that the training rows lack get a code of their own, which no training row has.
        sizes = np.array(split.sizes)
        test = np.where(split.codes[1] < 0, sizes, split.codes[1])
        model = CategoricalNB(min_categories=sizes + 1).fit(split.codes[0], y)
        log += model.predict_joint_log_proba(test) - prior
    p = np.exp(log - log.max(1, keepdims=True))
    return p / p.sum(1, keepdims=True)


def neighbours(k):
    def make(split):
        from sklearn.neighbors import KNeighborsClassifier

        return KNeighborsClassifier(min(k, len(split.y)))

    return make


def tree(split):
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(random_state=SEED)


def forest(split):
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(300, random_state=SEED)


def extra_trees(split):
    from sklearn.ensemble import ExtraTreesClassifier

    return ExtraTreesClassifier(300, random_state=SEED)


def hist_boosting(split):
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(min_samples_leaf=5, random_state=SEED)


def boosting(split):
    from sklearn.ensemble import GradientBoostingClassifier

    return GradientBoostingClassifier(random_state=SEED)


def svm(split):
    from sklearn.svm import SVC

    return SVC(probability=True, random_state=SEED)


def gaussian_process(split):
    from sklearn.gaussian_process import GaussianProcessClassifier
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel

    # One-hot columns make distances larger than 1; the likelihood then moves both from here.
    kernel = ConstantKernel(1.0, (1e-2, 1e3)) * RBF(max(1.0, split.x[0].shape[1]) ** 0.5, (1e-1, 1e3))
    return GaussianProcessClassifier(kernel, random_state=SEED)


def lda(split):
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    # More columns than rows: the covariance must be shrunk.
    return LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")


def mlp(split):
    from sklearn.neural_network import MLPClassifier

    return MLPClassifier(max_iter=1000, random_state=SEED)


def xgboost(split):
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=1, random_state=SEED)


def lightgbm(split):
    from lightgbm import LGBMClassifier

    return LGBMClassifier(min_child_samples=5, min_data_in_bin=1, n_jobs=1, random_state=SEED, verbose=-1)


def catboost(split):
    """With its own treatment of categories; the learning rate follows from the number of trees."""
    from catboost import CatBoostClassifier, Pool

    classes, y = np.unique(split.y, return_inverse=True)
    count = split.numbers[0].shape[1]
    frames = [np.hstack([n.astype(object), raw.reshape(len(n), -1)]) for n, raw in zip(split.numbers, split.raw)]
    places = list(range(count, frames[0].shape[1]))
    model = CatBoostClassifier(iterations=300, thread_count=1, random_seed=SEED, verbose=False, allow_writing_files=False)
    model.fit(Pool(frames[0], y, cat_features=places))
    return model.predict_proba(Pool(frames[1], cat_features=places))


def rules(name, **settings):
    """A rule learner of imodels; they know two classes, so three are one against the rest."""

    def make(split):
        import imodels
        from sklearn.multiclass import OneVsRestClassifier

        model = getattr(imodels, name)(**settings)
        return model if len(set(split.y)) == 2 else OneVsRestClassifier(model)

    return make


# Cheap ones first.
METHODS = {
    "prior": prior,
    "naive-bayes": naive_bayes,
    "1-nn": fitted(neighbours(1), one_hot),
    "5-nn": fitted(neighbours(5), one_hot),
    "tree": fitted(tree, one_hot),
    "lda": fitted(lda, one_hot),
    "logistic": fitted(logistic, one_hot),
    "svm-rbf": fitted(svm, one_hot),
    "figs": fitted(rules("FIGSClassifier"), one_hot),
    "hs-tree": fitted(rules("HSTreeClassifier"), one_hot),
    "logistic-cv": fitted(logistic_cv, one_hot),
    "xgboost": fitted(xgboost, one_hot),
    "lightgbm": fitted(lightgbm, one_hot),
    "boosting": fitted(boosting, one_hot),
    "forest": fitted(forest, one_hot),
    "extra-trees": fitted(extra_trees, one_hot),
    "hist-boosting": fitted(hist_boosting, one_hot),
    "gaussian-process": fitted(gaussian_process, one_hot),
    "mlp": fitted(mlp, one_hot),
    "catboost": catboost,
    "rulefit": fitted(rules("RuleFitClassifier", cv=False, random_state=SEED), one_hot),
}


def probabilities(name, split):
    """[test rows, classes of the table]; a class that no training row has gets 0."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = np.asarray(METHODS[name](split), float)
    p = np.zeros((len(split.y_test), len(split.classes)))
    p[:, np.unique(split.y)] = found
    return p
