export { WAITING_TAGS, type WaitingTag, waitingTags } from './tags.ts';
