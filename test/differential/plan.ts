// Plan: a random machine as plain data, before it becomes a machine.
//
// Names of states are places in a list, counted round, so that every plan makes a valid machine and stays valid while
// fast-check shrinks it.

export type CounterName = 'a' | 'b';
export type GeneratedEvent = 'E.a' | 'E.b' | 'F' | 'G';
export type SourceName = 'job' | 'kid' | 'logic';
export type DelayName = number | 'short' | 'computed';

export type GuardPlan =
  | { readonly kind: 'atLeast'; readonly counter: CounterName; readonly n: number }
  | { readonly kind: 'odd'; readonly counter: CounterName }
  | { readonly kind: 'payload'; readonly n: number }
  | { readonly kind: 'in'; readonly state: number }
  | { readonly kind: 'not'; readonly of: GuardPlan }
  | { readonly kind: 'and' | 'or'; readonly of: readonly GuardPlan[] };

export type ActionPlan =
  | { readonly kind: 'add'; readonly counter: CounterName; readonly by: number }
  | { readonly kind: 'bump'; readonly counter: CounterName; readonly fromEvent: boolean }
  | { readonly kind: 'note' | 'inline' | 'unknown'; readonly n: number }
  | { readonly kind: 'log' | 'emit'; readonly n: number }
  | { readonly kind: 'raise'; readonly event: GeneratedEvent; readonly n: number }
  | {
      readonly kind: 'raiseLater' | 'sendSelf';
      readonly event: GeneratedEvent;
      readonly delay: DelayName;
      readonly id: string | undefined;
    }
  | { readonly kind: 'cancel'; readonly id: string }
  | { readonly kind: 'spawn'; readonly id: string; readonly src: SourceName }
  | { readonly kind: 'stop'; readonly id: string }
  | { readonly kind: 'sendChild'; readonly id: string; readonly delay: DelayName | undefined }
  | {
      readonly kind: 'enqueue';
      readonly when: GuardPlan;
      readonly actions: readonly ActionPlan[];
    };

export interface TransitionPlan {
  readonly guard: GuardPlan | undefined;
  /** No target: the transition stays where it is. */
  readonly target: number | undefined;
  /** A second target, taken only when it lies in another region. */
  readonly also: number | undefined;
  readonly reenter: boolean;
  readonly actions: readonly ActionPlan[];
}

export interface HandlerPlan extends TransitionPlan {
  readonly on: GeneratedEvent | 'E.*' | '*';
}

export interface TimerPlan extends TransitionPlan {
  readonly delay: DelayName;
}

export interface InvokePlan {
  readonly id: string;
  readonly src: SourceName;
  readonly onDone: TransitionPlan | undefined;
  readonly onError: TransitionPlan | undefined;
}

export interface StatePlan {
  readonly kind: 'atomic' | 'final' | 'shallow' | 'deep' | 'compound' | 'parallel';
  readonly children: readonly StatePlan[];
  readonly entry: readonly ActionPlan[];
  readonly exit: readonly ActionPlan[];
  readonly initialActions: readonly ActionPlan[];
  readonly on: readonly HandlerPlan[];
  readonly always: readonly TransitionPlan[];
  readonly after: readonly TimerPlan[];
  readonly invoke: readonly InvokePlan[];
  /** When the state sends to what it invokes: before those are made, or just before they are stopped. */
  readonly greets: 'entry' | 'exit' | undefined;
  readonly onDone: TransitionPlan | undefined;
  readonly tags: readonly string[];
  /** The output of a final state, or the default target of a history state; `undefined` for none. */
  readonly extra: number | undefined;
}

export interface MachinePlan {
  readonly root: StatePlan;
  /** How many eventless or raised transitions an actor may take in its life. */
  readonly fuel: number;
  readonly output: boolean;
}
