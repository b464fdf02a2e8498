export const waterPlant = ({ state, path, next }) => {
  const plants = state.plants.map((plant) => (plant.id === path.id ? { ...plant, watered: true } : plant))
  return { ...next(), state: { ...state, plants } }
}
