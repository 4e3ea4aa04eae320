/** How long the link of an invitation works. */
export const invitationDays = 7

/** `open`: mailed, and its link works; `ended`: nobody used the link in time. */
export const invitationStates = ['open', 'ended', 'accepted', 'withdrawn'] as const
export type InvitationState = (typeof invitationStates)[number]
