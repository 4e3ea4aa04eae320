export const mostViews = 50
export const longestViewName = 60
export const longestViewSearch = 2_000
