/** Maximum security domains of an element. */
export const maxDomains = 64

/** Why a list of security domains cannot be applied. */
export const domainRefusals = [
  /** The list names an AID twice. */
  'duplicate',
  'tooMany',
  /** There is no issuer security domain, or a second one. */
  'issuerMissing',
  'secondIssuer',
  'issuerRemoved',
  'unknownParent',
  'cycle',
  /** A privilege requires another one, excludes another one, or belongs to another domain. */
  'needsPrivilege',
  'excludesPrivilege',
  'privilegeTaken',
  /** A state of a card for a domain, or the other way round. */
  'wrongState',
  /** The life cycle has no way to this state. */
  'stateGoesBack',
  /** On a card: what no command can change there. */
  'issuerPrivileges',
  'terminates',
  'parentLocked',
  'cardIsLocked',
] as const
export type DomainRefusalCode = (typeof domainRefusals)[number]
