"""tinygrad on CUDA: ops, and a network with a hidden layer trained for ten steps; results against numpy."""
import numpy as np
from tinygrad import Context, Device, Tensor, TinyJit
from tinygrad.nn.optim import SGD

assert Device.DEFAULT == "CUDA", Device.DEFAULT
rng = np.random.default_rng(1)
close = dict(rtol=1e-4, atol=1e-5)

a, b = rng.standard_normal((65, 40), dtype=np.float32), rng.standard_normal((40, 33), dtype=np.float32)
np.testing.assert_allclose((Tensor(a) @ Tensor(b)).numpy(), a @ b, **close)
np.testing.assert_allclose(Tensor(a).softmax().numpy(), np.exp(a) / np.exp(a).sum(axis=1, keepdims=True), **close)
assert (Tensor(a).argmax(axis=1).numpy() == a.argmax(axis=1)).all()
np.testing.assert_allclose(Tensor(a).cumsum(axis=0).numpy(), a.cumsum(axis=0), **close)

# The network and its gradient, written out for numpy.
count, inputs, hidden, outputs, rate = 64, 20, 32, 5, 0.1
x, label = rng.standard_normal((count, inputs), dtype=np.float32), rng.integers(0, outputs, count)
w1 = (rng.standard_normal((inputs, hidden)) / np.sqrt(inputs)).astype(np.float32)
w2 = (rng.standard_normal((hidden, outputs)) / np.sqrt(hidden)).astype(np.float32)
one_hot = np.eye(outputs, dtype=np.float32)[label]


def numpy_step(w1, w2):
    h = np.maximum(x @ w1, 0)
    z = h @ w2
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    loss = -np.log(p[np.arange(count), label]).mean()
    dz = (p - one_hot) / count
    dw1 = x.T @ ((dz @ w2.T) * (h > 0))
    return loss, w1 - rate * dw1, w2 - rate * (h.T @ dz)


t1, t2 = Tensor(w1), Tensor(w2)
optimizer = SGD([t1, t2], lr=rate)
data, labels = Tensor(x), Tensor(label.astype(np.int32))


@TinyJit
def step():
    optimizer.zero_grad()
    loss = ((data @ t1).relu() @ t2).sparse_categorical_crossentropy(labels).backward()
    return loss.realize(*optimizer.schedule_step())


losses = []
for _ in range(10):
    loss, w1, w2 = numpy_step(w1, w2)
    losses.append(loss)
    with Context(TRAINING=1):
        np.testing.assert_allclose(step().numpy(), loss, **close)
np.testing.assert_allclose(t1.numpy(), w1, **close)
np.testing.assert_allclose(t2.numpy(), w2, **close)
assert losses[-1] < losses[0]
print("PASSED")
