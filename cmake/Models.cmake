# The models of the ways to change code (docs/dev/models.md), checked by spin. Label: models.
# Where spin is missing, the tests are skipped.
file(GLOB models CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/models/*.pml)
foreach(model ${models})
  get_filename_component(name ${model} NAME_WE)
  add_test(NAME model.${name} COMMAND ${CMAKE_SOURCE_DIR}/scripts/check-models.sh ${model})
  set_tests_properties(model.${name} PROPERTIES LABELS models SKIP_RETURN_CODE 77 TIMEOUT 1500)
endforeach()
