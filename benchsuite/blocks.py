"""PyTorch training STRAT and the Transformer of the paper's section 7 on one thread, as fast as we know how.

    blocks.py sudoku|m-of-n|threeof9|satlib

Prints one JSON line per model with ms_per_epoch: the best of five rounds of forward, backward, clipping and optimizer
on full batches of the task's shape; drawing and encoding examples is left out. Attention is written in two ways, as
two batched products and a softmax and with F.scaled_dot_product_attention, and for SAT formulas, where ALiBi makes
distant tokens vanish, both also in bands: 32 or 64 queries see their own tokens and as many before. The fastest in the
first steps is taken, and the line says which.
"""

import json
import math
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)
torch.manual_seed(0)

# examples, tokens, classes
SHAPES = {"sudoku": (10, 81, 9), "m-of-n": (70, 11, 2), "threeof9": (10, 10, 2), "satlib": (32, 880, 1)}
# seconds a round
ROUND = 1.0


# queries of a band
BANDS = (32, 64)


def alibi(distance):
    return torch.where(distance >= 0, -distance.float(), -math.inf)


def linear(ins, outs, bias=False):
    return nn.Linear(ins, outs, bias=bias)


class Attention(nn.Module):
    """Rows of several values along the routes of one set of queries and keys."""

    fused, band = False, 0

    def __init__(self, heads, tokens=0):
        """With `tokens`: causal, with ALiBi of slope 1, for so many tokens."""
        super().__init__()
        self.heads, self.full, self.bands = heads, None, {}
        if tokens:
            self.full = alibi(torch.arange(tokens)[:, None] - torch.arange(tokens))
            for band in BANDS:
                # [blocks, 1, queries, keys]: keys before the first token are out of sight.
                distance = torch.arange(band)[:, None] + band - torch.arange(2 * band)
                self.bands[band] = alibi(distance).repeat(-(-tokens // band), 1, 1, 1)
                self.bands[band][0, :, :, :band] = -math.inf

    def split(self, x):
        b, n, c = x.shape
        return x.view(b, n, self.heads, c // self.heads).transpose(1, 2)

    def attend(self, q, k, values, bias):
        join = lambda x: x.transpose(-3, -2).flatten(-2)
        if Attention.fused:
            return [join(F.scaled_dot_product_attention(q, k, v, bias)) for v in values]
        scores = q @ k.transpose(-1, -2) * (1 / math.sqrt(q.shape[-1]))
        if bias is not None:
            scores = scores + bias
        routes = scores.softmax(-1)
        return [join(routes @ v) for v in values]

    def forward(self, q, k, *values):
        band = Attention.band
        if not band:
            return self.attend(self.split(q), self.split(k), [self.split(v) for v in values], self.full)
        b, n, _ = q.shape
        # [batch, blocks, heads, tokens of a block, width], keys and values with the block before
        block = lambda x: F.pad(x, (0, 0, 0, -n % band)).view(b, -1, band, x.shape[-1])
        both = lambda x: torch.cat([F.pad(x[:, :-1], (0, 0, 0, 0, 1, 0)), x], 2)
        heads = lambda x: x.unflatten(-1, (self.heads, -1)).transpose(-3, -2)
        values = [heads(both(block(v))) for v in values]
        rows = self.attend(heads(block(q)), heads(both(block(k))), values, self.bands[band])
        return [x.flatten(1, 2)[:, :n] for x in rows]


class StratBlock(nn.Module):
    def __init__(self, types, data, heads, hidden, type_moves, route):
        super().__init__()
        self.norm_type, self.norm_data = nn.LayerNorm(types), nn.LayerNorm(data)
        self.query, self.key = linear(types, types), linear(types, types)
        self.type_value = linear(types, types) if type_moves else None
        self.data_value, self.data_out = linear(data, route), linear(route, data)
        self.write_gate = linear(types, data, True)
        self.glu_gate, self.glu_value = linear(types, hidden[0], True), linear(data, hidden[0])
        self.glu_hidden = linear(hidden[0], hidden[1], True) if len(hidden) > 1 else None
        self.glu_out = linear(hidden[-1], data)
        self.attention = Attention(heads)

    def forward(self, x_t, x_d):
        t = self.norm_type(x_t)
        values = [self.data_value(self.norm_data(x_d))]
        if self.type_value is not None:
            values.append(self.type_value(t))
        fetched, *types = self.attention(self.query(t), self.key(t), *values)
        control = t
        if types:
            x_t = control = x_t + types[0]
        x_d = x_d + self.write_gate(control).sigmoid() * self.data_out(fetched)
        h = self.glu_gate(control).sigmoid() * F.gelu(self.glu_value(self.norm_data(x_d)))
        if self.glu_hidden is not None:
            h = F.gelu(self.glu_hidden(h))
        return x_t, x_d + self.glu_out(h)


class SatBlock(nn.Module):
    """Type attends, Data stays in its place."""

    def __init__(self, types, data, hidden, tokens):
        super().__init__()
        self.query, self.key, self.value = (linear(types, types) for _ in range(3))
        self.gate = linear(types, data, True)
        self.glu_value, self.glu_out = linear(data, hidden), linear(hidden, data)
        self.attention = Attention(1, tokens)

    def forward(self, x_t, x_d):
        x_t = x_t + self.attention(self.query(x_t), self.key(x_t), self.value(x_t))[0]
        return x_t, x_d + self.gate(x_t).sigmoid() * self.glu_out(F.gelu(self.glu_value(x_d)))


class Strat(nn.Module):
    def __init__(self, blocks, last, head):
        super().__init__()
        self.blocks, self.last, self.head = nn.ModuleList(blocks), last, head

    def forward(self, x_t, x_d, read):
        for block in self.blocks:
            x_t, x_d = block(x_t, x_d)
        return self.head(read(self.last(x_d)))


class TransformerBlock(nn.Module):
    def __init__(self, width, heads, hidden, biases, tokens=0):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key, self.value, self.out = (linear(width, width, biases) for _ in range(4))
        widths = [width, *hidden, width]
        self.ffn = nn.ModuleList([linear(a, b, True) for a, b in zip(widths, widths[1:])])
        self.attention = Attention(heads, tokens)

    def forward(self, x):
        t = self.norm1(x)
        x = x + self.out(self.attention(self.query(t), self.key(t), self.value(t))[0])
        h = self.norm2(x)
        for layer in self.ffn[:-1]:
            h = F.gelu(layer(h))
        return x + self.ffn[-1](h)


class Transformer(nn.Module):
    def __init__(self, width, blocks, head):
        super().__init__()
        self.width, self.blocks, self.last, self.head = width, nn.Sequential(*blocks), nn.LayerNorm(width), head

    def forward(self, x_t, x_d, read):
        x = torch.cat([x_t, x_d], -1)
        x = F.pad(x, (0, self.width - x.shape[-1]))
        return self.head(read(self.last(self.blocks(x))))


def models(work, tokens, classes):
    """The two models of a task by name, and the widths of Type and Data."""
    if work == "sudoku":
        strat = Strat([StratBlock(64, 18, 4, [128], False, 64) for _ in range(16)], nn.LayerNorm(18), linear(18, classes, True))
        blocks = [TransformerBlock(84, 4, [128], False) for _ in range(16)]
        return dict(strat=strat, transformer=Transformer(84, blocks, linear(84, classes, True))), 64, 18
    if work == "satlib":
        strat = Strat([SatBlock(8, 3, 32, tokens) for _ in range(4)], nn.Identity(), linear(3, 1, True))
        blocks = [TransformerBlock(11, 1, [32], True, tokens) for _ in range(4)]
        return dict(strat=strat, transformer=Transformer(11, blocks, linear(11, 1, True))), 8, 3
    strat = Strat([StratBlock(32, 32, 4, [68, 68], True, 32)], nn.LayerNorm(32), linear(32, classes, True))
    blocks = [TransformerBlock(64, 4, [68, 68], False)]
    return dict(strat=strat, transformer=Transformer(64, blocks, linear(64, classes, True))), 32, 32


def main():
    work = sys.argv[1]
    examples, tokens, classes = SHAPES[work]
    by_name, types, data = models(work, tokens, classes)
    x_t, x_d = torch.rand(examples, tokens, types), torch.rand(examples, tokens, data)
    if work == "sudoku":
        read, y = (lambda x: x), torch.randint(classes, (examples * tokens,))
    elif work == "satlib":
        read, y = (lambda x: x.mean(1)), torch.randint(2, (examples, 1)).float()
    else:
        read, y = (lambda x: x[:, 0]), torch.randint(classes, (examples,))
    for name, model in by_name.items():
        optimizer = torch.optim.Adam if work == "satlib" else torch.optim.AdamW
        optimizer = optimizer(model.parameters(), lr=1e-3, fused=True)

        def step():
            logits = model(x_t, x_d, read)
            if work == "satlib":
                loss = F.binary_cross_entropy_with_logits(logits, y)
            else:
                loss = F.cross_entropy(logits.flatten(0, -2), y)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()

        def steps(count):
            start = time.perf_counter()
            for _ in range(count):
                step()
            return (time.perf_counter() - start) / count

        def trial(way):
            Attention.fused, Attention.band = way
            steps(2)
            return min(steps(2) for _ in range(3))

        ways = [(fused, band) for band in ((0, *BANDS) if work == "satlib" else (0,)) for fused in (False, True)]
        times = {way: trial(way) for way in ways}
        way = min(ways, key=times.get)
        Attention.fused, Attention.band = way
        count = max(2, round(ROUND / times[way]))
        best = 1e3 * min(steps(count) for _ in range(5))
        attention = ("fused" if way[0] else "products") + (f", bands of {way[1]}" if way[1] else "")
        print(json.dumps(dict(peer="torch", work=work, model=name, ms_per_epoch=best, attention=attention)))


main()
