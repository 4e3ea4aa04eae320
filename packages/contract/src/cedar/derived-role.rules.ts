/** A person's role in the console (spec §6), from the token and the working provider. */
export const derivedRoles = ['Customer', 'Developer', 'MapleDeveloper', 'Admin'] as const
export type DerivedRole = (typeof derivedRoles)[number]

interface TokenFacts {
  isDeveloper: boolean
  isAdmin: boolean
}

/** The relevant fields of the working provider. */
export interface WorkingProvider {
  id: string
  isDefault: boolean
  /** The expiry of its key; null without one. A foreign Cedar may lack the field. */
  mobyApiKey?: string | null | undefined
}

/** A developer whose provider has an API key and is not the generic one is a MapleDeveloper too. */
export function rolesOf(
  { isDeveloper, isAdmin }: TokenFacts,
  provider: Omit<WorkingProvider, 'id'> | undefined,
): ReadonlySet<DerivedRole> {
  const roles = new Set<DerivedRole>()
  if (isDeveloper) roles.add('Developer')
  if (isDeveloper && provider && !provider.isDefault && provider.mobyApiKey)
    roles.add('MapleDeveloper')
  if (isAdmin) roles.add('Admin')
  return roles.size > 0 ? roles : new Set(['Customer'])
}

/** The provider to work with at first: the first that the user owns and that is not generic. */
export const firstWorkingProvider = <P extends { ownerId: string; isDefault: boolean }>(
  providers: readonly P[],
  userId: string | null,
): P | undefined => providers.find(({ ownerId, isDefault }) => ownerId === userId && !isDefault)
