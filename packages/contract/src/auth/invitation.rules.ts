/** How long an invitation's link is valid. */
export const invitationDays = 7

/** `open`: mailed, and its link is valid; `ended`: nobody used the link in time. */
export const invitationStates = ['open', 'ended', 'accepted', 'withdrawn'] as const
export type InvitationState = (typeof invitationStates)[number]
