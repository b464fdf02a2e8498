/** The lists that generated texts come from, besides those of faker. */

/** Values that belong together, so that the properties of one object agree. */
export const places = [
  ['London', 'United Kingdom', 'GB', 'GBR', 'GBP', 'Europe/London', 'en', 51.507, -0.128, 'Europe'],
  ['Berlin', 'Germany', 'DE', 'DEU', 'EUR', 'Europe/Berlin', 'de', 52.52, 13.405, 'Europe'],
  ['Chicago', 'United States', 'US', 'USA', 'USD', 'America/Chicago', 'en', 41.878, -87.63, 'Illinois'],
  ['Lisbon', 'Portugal', 'PT', 'PRT', 'EUR', 'Europe/Lisbon', 'pt', 38.722, -9.139, 'Europe'],
  ['Toronto', 'Canada', 'CA', 'CAN', 'CAD', 'America/Toronto', 'en', 43.653, -79.383, 'Ontario'],
  ['Kyoto', 'Japan', 'JP', 'JPN', 'JPY', 'Asia/Tokyo', 'ja', 35.012, 135.768, 'Asia'],
  ['Madrid', 'Spain', 'ES', 'ESP', 'EUR', 'Europe/Madrid', 'es', 40.417, -3.704, 'Europe'],
  ['Sydney', 'Australia', 'AU', 'AUS', 'AUD', 'Australia/Sydney', 'en', -33.869, 151.209, 'New South Wales'],
  ['Lyon', 'France', 'FR', 'FRA', 'EUR', 'Europe/Paris', 'fr', 45.764, 4.836, 'Europe'],
  ['Zurich', 'Switzerland', 'CH', 'CHE', 'CHF', 'Europe/Zurich', 'de', 47.377, 8.541, 'Europe'],
  ['Oslo', 'Norway', 'NO', 'NOR', 'NOK', 'Europe/Oslo', 'nb', 59.914, 10.752, 'Europe'],
] as const

export const sentences = [
  'Arrived on time and in good condition.',
  'The second part follows next week.',
  'Please check this before the end of the month.',
  'It works well in small rooms, too.',
  'Most people choose this one for everyday use.',
  'A short summary of what was agreed last week.',
  'Several customers have asked for it since spring.',
  'The colour is a little darker than in the picture.',
  'Made by hand in a small workshop near the coast.',
  'We tried two other ways, and this one was the simplest.',
  'Easy to set up, and it needs little care.',
  'Thanks for the quick help; everything is fine now.',
  'The notes of the last meeting are attached.',
]

export const tasks = [
  'Check the opening hours',
  'Update the price list',
  'Call the supplier about the delay',
  'Write the summary for March',
  'Repair the door of the storeroom',
  'Plan the autumn campaign',
  'Order new labels',
  'Review the first draft',
  'Move the archive to the second floor',
  'Answer the open questions',
  'Test the new checkout',
]

export const adjectives = [
  'quiet',
  'northern',
  'bright',
  'early',
  'golden',
  'hidden',
  'long',
  'open',
  'silver',
  'small',
  'warm',
  'young',
  'coastal',
]
export const nouns = [
  'harbour',
  'garden',
  'journey',
  'letter',
  'summer',
  'river',
  'station',
  'window',
  'morning',
  'island',
  'bridge',
]
export const words = [
  'spring',
  'premium',
  'local',
  'classic',
  'outdoor',
  'family',
  'weekly',
  'starter',
  'travel',
  'studio',
  'compact',
]
export const hosts = ['example.com', 'example.org', 'example.net']

export const colours: readonly (readonly [string, string])[] = [
  ['green', '#2e7d32'],
  ['blue', '#1565c0'],
  ['orange', '#ef6c00'],
  ['red', '#c62828'],
  ['grey', '#546e7a'],
  ['violet', '#6a1b9a'],
]
