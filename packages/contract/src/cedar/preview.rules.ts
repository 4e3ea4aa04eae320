/** The colour scheme of a previewed mini-app; `auto` leaves the choice to the system. */
export const previewSchemes = ['auto', 'light', 'dark'] as const
export type PreviewScheme = (typeof previewSchemes)[number]

/** How long the address of a preview works. */
export const previewMs = 10 * 60_000
