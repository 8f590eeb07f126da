// Doctor: the text of `troupe doctor`: what there is, what waits, and what is wrong with it. Pure.

import type { Diagnosis, DoctorFinding, Waiting } from '../../../actors/doctor/index.ts';
import type { Frame } from './table.ts';
import { counted, pad, printable, wrapIndented } from './text.ts';
import { ago, duration } from './time.ts';

const LABEL_WIDTH = 11;
const SUBJECTS_SHOWN = 5;
const MIB = 1_048_576;

type Section = readonly [label: string, lines: readonly string[]];

export function diagnosisText(diagnosis: Diagnosis, nowMs: number, frame: Frame): string[] {
  const sections = [
    ['store', [storeText(diagnosis)]],
    ['hosts', hostTexts(diagnosis, nowMs)],
    ['actors', actorTexts(diagnosis)],
    ['calls', callTexts(diagnosis, nowMs)],
    ['waits', waitTexts(diagnosis, nowMs)],
    ['kept', [`${counted(diagnosis.undeliverable)} undeliverable`]],
  ] satisfies Section[];
  return [
    ...sections.flatMap((section) => sectionLines(section, 'plain', frame)),
    '',
    ...findingTexts(diagnosis.findings, frame),
  ];
}

function storeText({ store, storeBytes, walBytes }: Diagnosis): string {
  return `${store}, ${mebibytes(storeBytes)} MiB, WAL ${mebibytes(walBytes)} MiB`;
}

function mebibytes(bytes: number): string {
  return (bytes / MIB).toFixed(1);
}

function hostTexts({ hosts }: Diagnosis, nowMs: number): string[] {
  if (hosts.length === 0) return ['none'];
  return hosts.map(
    ({ incarnation, pid, startedAtMs, liveness }) =>
      `${incarnation}, process ${pid}, ${liveness}, since ${duration(nowMs - startedAtMs)}`,
  );
}

function actorTexts({ actors }: Diagnosis): string[] {
  if (actors.length === 0) return ['none that can move'];
  return actors.map(
    ({ machine, version, active, stuck }) =>
      `${machine}, version ${version}: ${counted(active)} active, ${counted(stuck)} stuck`,
  );
}

function callTexts({ openCalls }: Diagnosis, nowMs: number): string[] {
  if (openCalls.length === 0) return ['none open'];
  return openCalls.map(
    ({ source, ordered, claimed, cancelling, oldestMs }) =>
      `${source}: ${ordered} wait, ${claimed} claimed, ${cancelling} asked to stop, the oldest ordered ${ago(oldestMs, nowMs)}`,
  );
}

function waitTexts({ waits }: Diagnosis, nowMs: number): string[] {
  return [
    waitText('messages', waits.messages, nowMs),
    waitText('timers overdue', waits.timers, nowMs),
  ];
}

function waitText(what: string, { count, oldest }: Waiting, nowMs: number): string {
  if (oldest === undefined) return `no ${what}`;
  return `${counted(count)} ${what}, the oldest of ${oldest.address}, ready ${ago(oldest.readyAtMs, nowMs)}`;
}

function findingTexts(findings: readonly DoctorFinding[], frame: Frame): string[] {
  if (findings.length === 0) return [frame.paint('good', 'Nothing is wrong.')];
  return findings.flatMap((finding) => {
    const { severity, code, problem, mend } = finding;
    const lines = [`${code}: ${problem}`, subjectsText(finding), `mend: ${mend}`];
    return sectionLines([severity, lines], severity === 'error' ? 'bad' : 'warn', frame);
  });
}

function subjectsText({ count, subjects }: DoctorFinding): string {
  const shown = subjects.slice(0, SUBJECTS_SHOWN).join(', ');
  const more = count - SUBJECTS_SHOWN;
  return more > 0 ? `${counted(count)}: ${shown}, and ${counted(more)} more (--json)` : shown;
}

function sectionLines(
  [label, lines]: Section,
  tone: 'plain' | 'warn' | 'bad',
  { width, paint }: Frame,
): string[] {
  const room = width === undefined ? Number.POSITIVE_INFINITY : Math.max(width - LABEL_WIDTH, 10);
  const wrapped = lines.flatMap((line) => wrapIndented(printable(line), room));
  return wrapped.map((line, index) => {
    const name = pad(index === 0 ? label : '', LABEL_WIDTH);
    return `${paint(tone === 'plain' ? 'dim' : tone, name)}${line}`.trimEnd();
  });
}
