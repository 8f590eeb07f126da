// Generate: random machine plans and random moves, for fast-check.

import fc from 'fast-check';
import type { Move } from './compare.ts';
import type {
  ActionPlan,
  CounterName,
  DelayName,
  GeneratedEvent,
  GuardPlan,
  HandlerPlan,
  InvokePlan,
  MachinePlan,
  SourceName,
  StatePlan,
  TimerPlan,
  TransitionPlan,
} from './plan.ts';

/** Levels of states below the root. */
const DEPTH_MAX = 3;
const FUEL_MAX = 8;
const MOVES_MAX = 12;

const small = fc.nat({ max: 3 });
const place = fc.nat({ max: 30 });
const counter = fc.constantFrom<CounterName>('a', 'b');
const eventType = fc.constantFrom<GeneratedEvent>('E.a', 'E.b', 'F', 'G');
const source = fc.constantFrom<SourceName>('job', 'kid', 'logic');
const delay = fc.constantFrom<DelayName>(10, 250, 0, 'short', 'computed');
const timerId = fc.constantFrom('t0', 't1');
const spawnedId = fc.constantFrom('k0', 'k1');
const invokedId = fc.constantFrom('i0', 'i1', 'i2');

const maybe = <T>(of: fc.Arbitrary<T>, oneIn: number): fc.Arbitrary<T | undefined> =>
  fc.option(of, { nil: undefined, freq: oneIn - 1 });

const some = <T>(of: fc.Arbitrary<T>, maxLength: number): fc.Arbitrary<T[]> =>
  fc.array(of, { maxLength });

const simpleGuard: fc.Arbitrary<GuardPlan> = fc.oneof(
  fc.record({ kind: fc.constant('atLeast' as const), counter, n: small }),
  fc.record({ kind: fc.constant('odd' as const), counter }),
  fc.record({ kind: fc.constant('payload' as const), n: small }),
  fc.record({ kind: fc.constant('in' as const), state: place }),
);

const guard: fc.Arbitrary<GuardPlan> = fc.oneof(
  { arbitrary: simpleGuard, weight: 4 },
  { arbitrary: fc.record({ kind: fc.constant('not' as const), of: simpleGuard }), weight: 1 },
  {
    arbitrary: fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      of: fc.array(simpleGuard, { minLength: 2, maxLength: 2 }),
    }),
    weight: 1,
  },
);

const simpleAction: fc.Arbitrary<ActionPlan> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('add' as const), counter, by: small }), weight: 5 },
  {
    arbitrary: fc.record({ kind: fc.constant('bump' as const), counter, fromEvent: fc.boolean() }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      kind: fc.constantFrom('note' as const, 'inline' as const, 'unknown' as const),
      n: small,
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({ kind: fc.constantFrom('log' as const, 'emit' as const), n: small }),
    weight: 2,
  },
  {
    arbitrary: fc.record({ kind: fc.constant('raise' as const), event: eventType, n: small }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      kind: fc.constantFrom('raiseLater' as const, 'sendSelf' as const),
      event: eventType,
      delay,
      id: maybe(timerId, 3),
    }),
    weight: 3,
  },
  { arbitrary: fc.record({ kind: fc.constant('cancel' as const), id: timerId }), weight: 2 },
  {
    arbitrary: fc.record({ kind: fc.constant('spawn' as const), id: spawnedId, src: source }),
    weight: 3,
  },
  { arbitrary: fc.record({ kind: fc.constant('stop' as const), id: spawnedId }), weight: 2 },
);

// A child that is not there makes the step throw, so these are rare.
const sendChild: fc.Arbitrary<ActionPlan> = fc.record({
  kind: fc.constant('sendChild' as const),
  id: fc.constantFrom('i0', 'k0', 'k1'),
  delay: maybe(delay, 2),
});

const action: fc.Arbitrary<ActionPlan> = fc.oneof(
  { arbitrary: simpleAction, weight: 40 },
  {
    arbitrary: fc.record({
      kind: fc.constant('enqueue' as const),
      when: guard,
      actions: some(simpleAction, 2),
    }),
    weight: 6,
  },
  { arbitrary: sendChild, weight: 1 },
);

const transitionFields = {
  guard: maybe(guard, 3),
  target: fc.option(place, { nil: undefined, freq: 4 }),
  also: maybe(place, 4),
  reenter: fc.boolean(),
  actions: some(action, 2),
};

const transition: fc.Arbitrary<TransitionPlan> = fc.record(transitionFields);

const handler: fc.Arbitrary<HandlerPlan> = fc.record({
  ...transitionFields,
  on: fc.oneof(
    { arbitrary: eventType, weight: 8 },
    { arbitrary: fc.constantFrom('E.*' as const, '*' as const), weight: 1 },
  ),
});

const timer: fc.Arbitrary<TimerPlan> = fc.record({ ...transitionFields, delay });

const invoke: fc.Arbitrary<InvokePlan> = fc.record({
  id: invokedId,
  src: source,
  onDone: fc.option(transition, { nil: undefined, freq: 3 }),
  onError: fc.option(transition, { nil: undefined, freq: 2 }),
});

const fields = {
  entry: some(action, 2),
  exit: some(action, 2),
  initialActions: some(action, 1),
  on: some(handler, 4),
  always: maybe(transition, 5).map((one) => (one === undefined ? [] : [one])),
  after: some(timer, 1),
  invoke: some(invoke, 2),
  greets: fc.constantFrom('entry' as const, 'exit' as const, undefined),
  onDone: maybe(transition, 2),
  tags: some(fc.constantFrom('x', 'y', 'z'), 2),
  extra: maybe(small, 2),
};

function state(depth: number): fc.Arbitrary<StatePlan> {
  const leaf = fc.record({
    ...fields,
    kind: fc.constantFrom<StatePlan['kind']>(
      ...(['atomic', 'atomic', 'atomic', 'atomic', 'final', 'shallow', 'deep'] as const),
    ),
    children: fc.constant([]),
  });
  if (depth === 0) return leaf;
  return fc.oneof(
    { arbitrary: leaf, weight: 5 },
    { arbitrary: parent('compound', depth), weight: 2 },
    { arbitrary: parent('parallel', depth), weight: 2 },
  );
}

function parent(kind: 'compound' | 'parallel', depth: number): fc.Arbitrary<StatePlan> {
  return fc.record({
    ...fields,
    kind: fc.constant(kind),
    children: fc.array(state(depth - 1), { minLength: kind === 'parallel' ? 2 : 1, maxLength: 3 }),
  });
}

export const generatedMachine: fc.Arbitrary<MachinePlan> = fc.record({
  root: fc.oneof(
    { arbitrary: parent('compound', DEPTH_MAX), weight: 2 },
    { arbitrary: parent('parallel', DEPTH_MAX), weight: 1 },
  ),
  fuel: fc.nat({ max: FUEL_MAX }),
  output: fc.boolean(),
});

const data = fc.oneof(small, fc.record({ n: small, text: fc.constantFrom('', 'text') }));

const move: fc.Arbitrary<Move> = fc.oneof(
  {
    arbitrary: fc
      .record({ type: fc.oneof(eventType, eventType, fc.constant('UNKNOWN')), n: small })
      .map((event) => ({ kind: 'send' as const, event })),
    weight: 8,
  },
  { arbitrary: fc.record({ kind: fc.constant('fire' as const), pick: place }), weight: 3 },
  {
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      pick: place,
      with: fc.constantFrom('done' as const, 'done' as const, 'error' as const),
      data,
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({ delay, state: place }).map(({ delay: after, state: id }) => ({
      kind: 'send' as const,
      event: { type: `xstate.after.${after}.s${id}` },
    })),
    weight: 1,
  },
);

export const generatedMoves: fc.Arbitrary<Move[]> = fc.array(move, {
  minLength: 1,
  maxLength: MOVES_MAX,
});
