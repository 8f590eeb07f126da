// Notes: what an exploration has left out, and why, for people.

import { growthOf } from './growth.ts';
import { type ExploreOptions, STATES_MAX, TIMERS_OF_ONE_ID_MAX } from './options.ts';
import type { Point } from './point.ts';
import type { Search } from './search.ts';
import { stimulusText } from './stimulus.ts';

/** Each note says what was left out and what lets the exploration see it, in words that hold in code and on the command line. */
export function notesOf(search: Search, { statesMax, depthMax }: ExploreOptions): string[] {
  const { limits, points, crowded } = search;
  const notes: string[] = [];
  if (limits.has('birth')) {
    notes.push('No actor could be born: nothing was looked at.');
  }
  if (limits.has('states')) {
    const growth = growthOf(points);
    const grows = growth === '' ? '' : ` In the context ${growth}.`;
    notes.push(
      `There are more than ${statesMax ?? STATES_MAX} states; the rest was not looked at.${grows} Let more of them be looked at, list fewer variants, or leave out of the states what does not matter.`,
    );
  }
  if (limits.has('depth')) {
    notes.push(`Paths of more than ${depthMax} steps were not looked at.`);
  }
  if (crowded !== undefined) notes.push(crowdedNote(crowded));
  if (limits.has('mailbox')) {
    notes.push(
      'The actor can send to itself faster than it takes: where many such messages waited, nothing else was let in between.',
    );
  }
  return notes;
}

/** At the first point with too many timers of one id. */
function crowdedNote(point: Point): string {
  const ids = point.timers.map(({ id }) => id);
  const id = ids.find(
    (each) => ids.filter((other) => other === each).length > TIMERS_OF_ONE_ID_MAX,
  );
  const state = JSON.stringify(point.snapshot.value);
  return `Timer '${id}' is armed again while earlier ones of its id are live, without end: where more than ${TIMERS_OF_ONE_ID_MAX} of them were live, first in ${state}, nothing more was tried. The way there: ${wayTo(point)}. Cancel it before it is armed again.`;
}

function wayTo(point: Point): string {
  const steps: string[] = [];
  for (let each: Point | undefined = point; each !== undefined; each = each.from) {
    steps.push(stimulusText(each.arrival.stimulus));
  }
  return steps.reverse().join(', ');
}
