// Pool: what the generated machines do, from a plan: actions, outputs, and the implementations that they name.

import {
  type AnyEventObject,
  assign,
  cancel,
  createMachine,
  emit,
  enqueueActions,
  fromPromise,
  fromTransition,
  log,
  raise,
  sendTo,
  spawnChild,
  stopChild,
} from 'xstate';
import type { ActionPlan, CounterName, GuardPlan } from './plan.ts';

export interface GeneratedContext {
  readonly a: number;
  readonly b: number;
  /** What is left of the transitions that XState may take by itself. */
  readonly fuel: number;
}

export interface Args {
  readonly context: GeneratedContext;
  readonly event: AnyEventObject;
}

/** How an action raises an event: freely where its transition has paid for it, else for fuel. */
export type Raising = (event: AnyEventObject) => unknown;

export const raiseFreely: Raising = (event) => raise(() => event);

export const raiseOnFuel: Raising = (event) =>
  enqueueActions(({ context, enqueue }) => {
    if ((context as GeneratedContext).fuel <= 0) return;
    enqueue('spend');
    enqueue.raise(() => event);
  });

/** Makes the action of a plan. `guardOf` makes a guard of the machine that it belongs to. */
export function actionOf(
  plan: ActionPlan,
  raising: Raising,
  guardOf: (plan: GuardPlan) => unknown,
): unknown {
  switch (plan.kind) {
    case 'raise':
      return raising({ type: plan.event, n: plan.n });
    case 'enqueue': {
      const when = guardOf(plan.when);
      const actions = plan.actions.map((action) => actionOf(action, raising, guardOf));
      return enqueueActions(({ enqueue, check }) => {
        if (!check(when as never)) return;
        for (const action of actions) enqueue(action as never);
      });
    }
    case 'add':
    case 'bump':
    case 'note':
    case 'unknown':
    case 'inline':
      return ownAction(plan);
    default:
      return builtInAction(plan);
  }
}

type OwnPlan = Extract<ActionPlan, { kind: 'add' | 'bump' | 'note' | 'unknown' | 'inline' }>;

function ownAction(plan: OwnPlan): unknown {
  switch (plan.kind) {
    case 'add':
      return assign({ [plan.counter]: ({ context }: Args) => context[plan.counter] + plan.by });
    case 'bump': {
      const by = ({ event }: Args): number => (plan.fromEvent ? event.type.length : 1);
      return { type: 'bump', params: (args: Args) => ({ counter: plan.counter, by: by(args) }) };
    }
    case 'note':
      return { type: 'note', params: ({ context }: Args) => ({ n: plan.n, a: context.a }) };
    case 'unknown':
      return { type: 'notImplemented', params: { n: plan.n } };
    case 'inline':
      return plan.n % 2 === 0 ? () => {} : function inlineAction() {};
  }
}

type BuiltInPlan = Exclude<ActionPlan, OwnPlan | { kind: 'raise' | 'enqueue' }>;

function builtInAction(plan: BuiltInPlan): unknown {
  switch (plan.kind) {
    case 'log':
      return log(({ context }) => [plan.n, (context as GeneratedContext).a], 'log');
    case 'emit':
      return emit(({ context }) => ({ type: 'emitted', n: plan.n, a: aOf(context) }));
    case 'raiseLater':
      return raise(() => ({ type: plan.event, n: 0 }), delayed(plan));
    case 'sendSelf':
      return sendTo(({ self }) => self, { type: plan.event }, delayed(plan));
    case 'cancel':
      return cancel(plan.id);
    case 'spawn':
      return spawnChild(plan.src, { id: plan.id, input });
    case 'stop':
      return stopChild(plan.id);
    case 'sendChild':
      // The target is a function: a literal one that nothing spawns is refused at registration (K8).
      return sendTo(
        () => plan.id,
        ({ context }) => ({ type: 'HELLO', a: aOf(context) }),
        delayed({ delay: plan.delay, id: undefined }),
      );
  }
}

function aOf(context: object): number {
  return (context as GeneratedContext).a;
}

interface Delayed {
  readonly delay: unknown;
  readonly id: string | undefined;
}

function delayed({ delay, id }: Delayed): never {
  const options = {
    ...(delay === undefined ? {} : { delay }),
    ...(id === undefined ? {} : { id }),
  };
  return options as never;
}

/** The input of every child. */
export const input = ({ context }: Args): unknown => ({ a: context.a });

export const machineOutput = ({ context, event }: Args): unknown => ({
  a: context.a,
  last: event['output'] ?? null,
});

/** Outputs of final states. */
export const outputs: readonly unknown[] = [
  'fixed',
  { nested: [1, null] },
  ({ context, event }: Args) => ({ b: context.b, by: event.type }),
  0,
];

const kid = createMachine({
  id: 'kid',
  initial: 'on',
  states: { on: { on: { HELLO: 'off' }, after: { 5: 'off' } }, off: { type: 'final' } },
});

export const implementations = {
  guards: {
    hasFuel: ({ context }: Args) => context.fuel > 0,
    atLeast: ({ context }: Args, params: { counter: CounterName; n: number }) =>
      context[params.counter] >= params.n,
  },
  actions: {
    spend: assign({ fuel: ({ context }: Args) => context.fuel - 1 }),
    bump: assign(({ context }: Args, params: { counter: CounterName; by: number }) => ({
      [params.counter]: context[params.counter] + params.by,
    })),
    note: () => {},
  },
  delays: { short: 40, computed: ({ context }: Args) => 10 * (context.a % 7) },
  actors: {
    job: fromPromise(async () => 'job'),
    kid,
    logic: fromTransition((count: number) => count + 1, 0),
  },
};
