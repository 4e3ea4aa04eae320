/**
 * The rights that calls of Maple can require. An administrator has them all; anyone else has those of
 * an account.
 */
export const mapleRights = [
  'overview.read',
  'device.read',
  'device.change',
  'device.import',
  /** Send commands to devices and set what they should be like. */
  'device.command',
  'element.read',
  'element.change',
  /** Keys, the HSM and the security domains of an element. */
  'element.secure',
  'session.read',
  /** Open a session to an element, send commands, take it over and end it. */
  'session.run',
  /** Send raw bytes. */
  'session.raw',
  'applet.read',
  'applet.change',
  /** Software cards. */
  'card.read',
  'card.change',
  /** Templates, scripts and handlers: programs that run on elements and events. */
  'program.read',
  'program.change',
  'program.run',
  /** Products, their claim codes and images of firmware. */
  'product.read',
  'product.change',
  /** Programs brought to many devices in groups. */
  'rollout.read',
  'rollout.run',
  'service.read',
  'service.change',
  /** Which API keys and key sets there are, never the keys themselves. */
  'key.read',
  /** Approve what others request. */
  'approval.give',
  'account.read',
  'account.change',
  'role.read',
  'role.grant',
  'job.read',
  'job.change',
  'event.read',
] as const
export type MapleRight = (typeof mapleRights)[number]

/** Rights that nobody has in a working stage: these concern people, or every service provider. */
const outsideStages: readonly MapleRight[] = [
  'service.change',
  'account.read',
  'account.change',
  'role.grant',
  'approval.give',
]

/** The rights of a MapleDeveloper in their working stage, to which an API key can be limited. */
export const stageRights: readonly MapleRight[] = mapleRights.filter(
  (right) => !outsideStages.includes(right),
)
