export const maxViews = 50
export const maxViewNameLength = 60
export const maxViewSearchLength = 2_000
